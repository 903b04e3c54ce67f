//! The book's plots: of MSMs from the tables that `cargo bench --bench msm -- --csv=…` writes, and of speed
//! beside rivals.

use anyhow::{Context, Result, ensure};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Where tables and plots of the book lie.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/src/plots")
}

const SIZE: (u32, u32) = (900, 520);
const COLORS: [RGBColor; 5] = [
    RGBColor(0x1b, 0x6c, 0xa8),
    RGBColor(0xd9, 0x5f, 0x02),
    RGBColor(0x2c, 0x8c, 0x4a),
    RGBColor(0x7b, 0x4f, 0x9d),
    RGBColor(0x88, 0x6a, 0x3a),
];
const GREY: RGBColor = RGBColor(0x99, 0x99, 0x99);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The plots of the tables in a folder: names of files, and SVG.
pub fn draw(folder: &Path) -> Result<Vec<(&'static str, String)>> {
    let read = |name: &str| -> Result<Vec<Vec<String>>> {
        let path = folder.join(name);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
        rows(&text).with_context(|| format!("in {}", path.display()))
    };
    Ok(vec![
        ("rivals.svg", svg(|area| rivals(area, "the fastest other library", &read("rivals.csv")?))?),
        ("cpu.svg", svg(|area| rivals(area, "arkworks", &read("cpu.csv")?))?),
        ("msm-sizes.svg", svg(|area| sizes(area, &read("msm-sizes.csv")?))?),
        ("msm-scalars.svg", svg(|area| scalars(area, &read("msm-scalars.csv")?))?),
        ("msm-steps.svg", svg(|area| steps(area, &read("msm-steps.csv")?))?),
    ])
}

/// The rows below the heading, all as long as that.
fn rows(text: &str) -> Result<Vec<Vec<String>>> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heading = lines.next().context("no heading")?;
    let rows: Vec<_> = lines.collect();
    ensure!(!rows.is_empty(), "no rows");
    for (i, row) in rows.iter().enumerate() {
        ensure!(row.len() == heading.len(), "row {} has {} fields, not {}", i + 1, row.len(), heading.len());
    }
    Ok(rows)
}

fn number(text: &str) -> Result<f64> {
    text.parse().with_context(|| format!("{text:?} is no number"))
}

fn svg(plot: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        plot(&area)?;
        area.present()?;
    }
    Ok(text)
}

/// What is in a column, in the order of its first appearance.
fn distinct(rows: &[Vec<String>], column: usize) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for row in rows {
        if !names.contains(&row[column].as_str()) {
            names.push(&row[column]);
        }
    }
    names
}

/// A rival's time over ours against the size, a line a task; 1 is as fast.
fn rivals(area: &Area<'_>, rival: &str, rows: &[Vec<String>]) -> Result<()> {
    let tasks = distinct(rows, 1);
    let lines = tasks.iter().map(|task| {
        let of_task = rows.iter().filter(|row| row[1] == *task);
        let points = of_task.map(|row| Ok((number(&row[2])?, number(&row[3])? / number(&row[4])?)));
        points.collect::<Result<Vec<(f64, f64)>>>()
    });
    let lines = lines.collect::<Result<Vec<_>>>()?;
    let points = || lines.iter().flatten();
    let (first, last) = points().fold((f64::MAX, f64::MIN), |(a, b), &(x, _)| (a.min(x), b.max(x)));
    let highest = points().fold(1.0, |most, &(_, y)| y.max(most));
    let mut chart = ChartBuilder::on(area)
        .caption(format!("Times as fast as {rival}, {}", rows[0][0]), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(60)
        .build_cartesian_2d(first..last, 0.0..1.1 * highest)?;
    chart
        .configure_mesh()
        .x_labels((last - first) as usize + 1)
        .x_label_formatter(&|x| format!("2^{x:.0}"))
        .x_desc("points, or elements")
        .y_desc("times as fast")
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series(LineSeries::new([(first, 1.0), (last, 1.0)], GREY.stroke_width(2)))?;
    for ((task, points), color) in tasks.iter().zip(&lines).zip(COLORS) {
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, color.filled())))?;
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
            .label(*task)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 13))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

/// Time against the number of points, both logarithmic; rivals dashed in grey.
fn sizes(area: &Area<'_>, rows: &[Vec<String>]) -> Result<()> {
    let logs = rows.iter().map(|row| number(&row[2])).collect::<Result<Vec<f64>>>()?;
    let (first, last) = logs.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    let caption = format!("MSM, scalars from the host, {}", rows[0][0]);
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(60)
        .build_cartesian_2d(first..last, (0.3..400.0).log_scale())?;
    chart
        .configure_mesh()
        .x_labels((last - first) as usize + 1)
        .x_label_formatter(&|x| format!("2^{x:.0}"))
        .x_desc("points")
        .y_desc("milliseconds")
        .light_line_style(WHITE)
        .draw()?;
    for (group, color) in distinct(rows, 1).into_iter().zip(COLORS) {
        for (column, width, name) in [(3, 2, "alone"), (4, 1, "multiples"), (5, 1, "rival")] {
            let of_group = rows.iter().filter(|row| row[1] == group && !row[column].is_empty());
            let points = of_group.map(|row| Ok((number(&row[2])?, number(&row[column])?)));
            let points = points.collect::<Result<Vec<(f64, f64)>>>()?;
            let style = if column == 5 { color.mix(0.35).stroke_width(1) } else { color.stroke_width(width) };
            let marks = points.iter().map(|&point| match column {
                3 => Circle::new(point, 3, color.filled()),
                4 => Circle::new(point, 3, color.stroke_width(1)),
                _ => Circle::new(point, 2, GREY.filled()),
            });
            chart.draw_series(marks)?;
            chart
                .draw_series(LineSeries::new(points.iter().copied(), style))?
                .label(format!("{group}, {name}"))
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 11))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

/// A group of bars for each kind of scalars: times as long as uniform ones take, alone (full) and with
/// multiples (pale), by group.
fn scalars(area: &Area<'_>, rows: &[Vec<String>]) -> Result<()> {
    let (groups, kinds) = (distinct(rows, 1), distinct(rows, 2));
    let time = |group: &str, kind: &str, column: usize| {
        let row = rows.iter().find(|row| row[1] == group && row[2] == kind);
        number(&row.with_context(|| format!("no {kind} of {group}"))?[column])
    };
    let caption = format!("MSM of 2^20 points: time over that of uniform scalars, {}", rows[0][0]);
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..kinds.len() as f64, 0.0..1.8)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_desc("times as long as uniform scalars")
        .light_line_style(WHITE)
        .draw()?;
    let width = 0.8 / (2 * groups.len()) as f64;
    for (i, (group, color)) in groups.iter().zip(COLORS).enumerate() {
        for (j, column) in [3, 4].into_iter().enumerate() {
            let style = if j == 0 { color.filled() } else { color.mix(0.45).filled() };
            let bars = kinds.iter().enumerate().map(|(k, kind)| {
                let height = time(group, kind, column)? / time(group, "uniform", column)?;
                let left = k as f64 + 0.1 + (2 * i + j) as f64 * width;
                Ok(Rectangle::new([(left, 0.0), (left + 0.9 * width, height)], style))
            });
            let bars = bars.collect::<Result<Vec<_>>>()?;
            let name = if j == 0 { "alone" } else { "multiples" };
            chart
                .draw_series(bars)?
                .label(format!("{group}, {name}"))
                .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 12, y + 4)], style));
        }
    }
    let (_, below) = area.split_vertically(SIZE.1 - 42);
    let step = f64::from(SIZE.0 - 60 - 36) / kinds.len() as f64;
    for (k, kind) in kinds.iter().enumerate() {
        let left = 78 + (k as f64 * step) as i32;
        below.draw(&Text::new((*kind).to_owned(), (left, 0), ("sans-serif", 11).into_font()))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 11))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

/// A bar for each step of a group's MSM, and within it, dark, what its bound is where there is one.
fn steps(area: &Area<'_>, rows: &[Vec<String>]) -> Result<()> {
    let rows: Vec<&Vec<String>> = rows.iter().filter(|row| row[2] == "1").collect();
    ensure!(!rows.is_empty(), "no steps of bases without multiples");
    let longest = rows.iter().map(|row| number(&row[5])).collect::<Result<Vec<f64>>>()?;
    let longest = longest.into_iter().fold(0.1, f64::max);
    let caption = format!("Steps of a resident MSM of 2^20 points, and their bounds (dark), {}", rows[0][0]);
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(200)
        .build_cartesian_2d((0.005..1.2 * longest).log_scale(), 0.0..count)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .x_desc("milliseconds")
        .light_line_style(WHITE)
        .draw()?;
    let mut colors: Vec<&str> = vec![];
    for (i, row) in rows.iter().enumerate() {
        if !colors.contains(&row[1].as_str()) {
            colors.push(&row[1]);
        }
        let color = COLORS[(colors.len() - 1) % COLORS.len()];
        let (bottom, top) = (count - 1.0 - i as f64 + 0.15, count - i as f64 - 0.15);
        let mut bars =
            vec![Rectangle::new([(0.005, bottom), (number(&row[5])?, top)], color.mix(0.45).filled())];
        if !row[6].is_empty() {
            bars.push(Rectangle::new([(0.005, bottom), (number(&row[6])?, top)], color.filled()));
        }
        chart.draw_series(bars)?;
    }
    let height = f64::from(SIZE.1 - 42 - 24 - 30) / count;
    for (i, row) in rows.iter().enumerate() {
        let y = 42 + (height * (i as f64 + 0.25)) as i32;
        let name = format!("{}, {}", row[1], row[3]);
        area.draw(&Text::new(name, (16, y), ("sans-serif", 12).into_font()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_plots_are_of_its_tables() {
        for (name, svg) in draw(&folder()).unwrap() {
            let drawn = std::fs::read_to_string(folder().join(name)).unwrap();
            assert!(drawn == svg, "{name} is not of its table: cargo run -p curvesmith-benches --bin plots");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(rows("").is_err() && rows("a,b\n").is_err());
        let error = rows("a,b\n1,2\n1,2,3\n").unwrap_err().to_string();
        assert_eq!(error, "row 2 has 3 fields, not 2");
        assert!(number("x").is_err());
    }
}
