//! Traces in the format of Chrome, which Perfetto reads: the host and each stream are a row.

use curvesmith::Kind;
use curvesmith::Report;
use serde_json::{Value, json};

/// The trace of named calls, all of this process.
pub(crate) fn text(calls: &[(&str, &Report)]) -> String {
    json!({ "displayTimeUnit": "ms", "traceEvents": events(calls) }).to_string()
}

fn events(calls: &[(&str, &Report)]) -> Vec<Value> {
    let first = calls.iter().filter_map(|(_, report)| report.start).min();
    let mut events = Vec::new();
    let mut rows = std::collections::BTreeMap::from([(0, "host".to_owned())]);
    for (name, report) in calls {
        let offset = match (report.start, first) {
            (Some(start), Some(first)) => start.duration_since(first).as_secs_f64(),
            _ => 0.0,
        };
        for span in &report.spans {
            // Stages of a stream stand above its kernels and copies.
            let (row, title) = match span.kind {
                Kind::Host => (0, "host".to_owned()),
                Kind::Stage => (2 * span.stream + 1, format!("stream {}: stages", span.stream)),
                Kind::Kernel | Kind::Copy => (2 * span.stream + 2, format!("stream {}", span.stream)),
            };
            rows.entry(row).or_insert(title);
            events.push(json!({
                "name": span.name,
                "cat": name,
                "ph": "X",
                "ts": (span.begin + offset) * 1e6,
                "dur": (span.end - span.begin) * 1e6,
                "pid": 1,
                "tid": row,
            }));
        }
    }
    for (row, title) in rows {
        events.push(json!({
            "name": "thread_name", "ph": "M", "pid": 1, "tid": row, "args": { "name": title },
        }));
        events.push(json!({
            "name": "thread_sort_index", "ph": "M", "pid": 1, "tid": row, "args": { "sort_index": row },
        }));
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith::Span;

    #[test]
    fn rows_are_streams_and_times_are_of_one_clock() {
        let start = std::time::Instant::now();
        let span = |name: &'static str, kind, stream, begin| Span {
            name: name.into(),
            kind,
            stream,
            begin,
            end: begin + 0.5,
        };
        let call = |later: u64, spans| Report {
            start: Some(start + std::time::Duration::from_secs(later)),
            spans,
            ..Report::default()
        };
        let a = call(2, vec![span("kernel", Kind::Kernel, 3, 1.0), span("msm", Kind::Stage, 3, 1.0)]);
        let b = call(0, vec![span("wait", Kind::Host, 0, 0.25)]);
        let events = events(&[("a", &a), ("b", &b)]);
        let find = |name: &str| events.iter().find(|e| e["name"] == name).expect("the event is there");
        assert_eq!(find("kernel")["ts"], 3e6);
        assert_eq!(find("kernel")["dur"], 5e5);
        assert_eq!((&find("kernel")["tid"], &find("msm")["tid"]), (&json!(8), &json!(7)));
        assert_eq!((&find("wait")["tid"], &find("wait")["ts"]), (&json!(0), &json!(2.5e5)));
        let names: Vec<_> = events.iter().filter(|e| e["name"] == "thread_name").collect();
        assert_eq!(names.len(), 3);
    }
}
