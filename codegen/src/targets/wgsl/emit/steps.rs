//! Many programs in a straight stretch of text, as a loop in which each stands once.
//!
//! Drivers inline each call of a program, and some compile a kernel over an extension for half a minute. A
//! *stretch* is what stands between two changes of flow. Where it has many calls they become the steps of a
//! loop over elements `e`:
//!
//! ```text
//! e[0] = l3;                               operands from before the loop
//! e[1] = l4;
//! for (var step = 0u; step < 3u; step++) {
//!   switch step {                          which elements, and where to
//!     case 0u: { x0 = 0u; x1 = 1u; to = 2u; }
//!     case 1u: { x0 = 2u; x1 = 2u; to = 3u; }
//!     default: { x0 = 2u; x1 = 3u; to = 0u; }
//!   }
//!   switch step {
//!     case 0u, 1u: { e[to] = mul(e[x0], e[x1]); }
//!     default: { e[to] = sub(e[x0], e[x1]); }
//!   }
//! }
//! let v9 = e[0];
//! ```
//!
//! An element is one place for several values, none of which is read after the next one is written:
//! [allocation by a linear scan](https://doi.org/10.1145/330249.330250). What is no call stays before or
//! behind the loop, in its order. The loop is run again by names and compared with the stretch
//! ([`Steps::is`]), so that it is what was proven.

use std::collections::{BTreeMap, BTreeSet};

/// A line of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) enum Item {
    /// `let name = function(operands);` of elements, by a program.
    Call(Call),
    /// `let name = expression;`
    Value { name: String, expression: String },
    /// A statement that gives no value.
    Effect(String),
}

/// A call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) struct Call {
    /// The result.
    pub(in crate::targets::wgsl) name: String,
    /// The program.
    pub(in crate::targets::wgsl) function: String,
    /// A value in front of the operands that is no element.
    pub(in crate::targets::wgsl) scalar: Option<String>,
    /// Its operands: expressions.
    pub(in crate::targets::wgsl) operands: Vec<String>,
    /// Whether it makes products.
    pub(in crate::targets::wgsl) multiplies: bool,
}

/// Calls of programs with products that a loop saves at least.
const LEAST: usize = 8;

/// A stretch as a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) struct Steps {
    /// What stands before the loop.
    pub(in crate::targets::wgsl) before: Vec<Item>,
    /// Operands from before the loop, and the elements that they are put to.
    pub(in crate::targets::wgsl) inputs: Vec<(String, usize)>,
    /// The calls, whose operands and results are elements.
    pub(in crate::targets::wgsl) steps: Vec<Step>,
    /// Results that are read behind the loop, and where they are.
    pub(in crate::targets::wgsl) outputs: Vec<(String, usize)>,
    /// What stands behind the loop.
    pub(in crate::targets::wgsl) behind: Vec<Item>,
}

/// A call by elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::wgsl) struct Step {
    /// The program.
    pub(in crate::targets::wgsl) function: String,
    /// A value in front of the operands.
    pub(in crate::targets::wgsl) scalar: Option<String>,
    /// The operands.
    pub(in crate::targets::wgsl) from: Vec<usize>,
    /// The result.
    pub(in crate::targets::wgsl) to: usize,
}

/// The lines of a stretch, and how many elements its loops hold. `read` are values that are read behind it.
///
/// `None`: a loop is not what it stands for.
pub(in crate::targets::wgsl) fn lines(
    items: &[Item],
    read: &BTreeSet<String>,
) -> Option<(Vec<(usize, String)>, usize)> {
    let (mut lines, mut elements) = (vec![], 0);
    let mut rest = items;
    while !rest.is_empty() {
        let (run, others) = rest.split_at(run(rest));
        rest = others;
        match find(run, &|name| {
            read.contains(name) || others.iter().any(|item| item.reads().any(|v| v == name))
        }) {
            Some(steps) if steps.is(run) => {
                elements = elements.max(steps.elements());
                lines.extend(steps.lines());
            }
            Some(_) => return None,
            None => lines.extend(run.iter().map(|item| (0, item.line()))),
        }
    }
    Some((lines, elements))
}

/// How many items there are up to a call that reads what other lines make of results of calls.
fn run(items: &[Item]) -> usize {
    let (mut results, mut is_behind) = (BTreeSet::new(), false);
    let mut made = BTreeSet::new();
    for (at, item) in items.iter().enumerate() {
        let reads_results = item.reads().any(|name| results.contains(name));
        if let Item::Call(call) = item {
            let parts = call.operands.iter().filter(|operand| !results.contains(&***operand));
            let parts = parts.chain(&call.scalar);
            let mut parts = parts.flat_map(|operand| identifiers(operand));
            if parts.any(|name| results.contains(name) || made.contains(name)) {
                return at;
            }
            results.insert(&*call.name);
        } else if is_behind || reads_results {
            // Lines stay in their order: what follows stands behind the loop too.
            is_behind = true;
            made.extend(item.name());
        }
    }
    items.len()
}

/// The loop of a [run](run), where it saves enough.
pub(in crate::targets::wgsl) fn find(run: &[Item], is_read: &dyn Fn(&str) -> bool) -> Option<Steps> {
    let calls: Vec<&Call> = run.iter().filter_map(Item::call).collect();
    let multiply = || calls.iter().filter(|call| call.multiplies);
    let saved = multiply().count() - multiply().map(|call| &call.function).collect::<BTreeSet<_>>().len();
    (saved >= LEAST).then(|| rolled(run, &calls, is_read))
}

fn rolled(run: &[Item], calls: &[&Call], is_read: &dyn Fn(&str) -> bool) -> Steps {
    let results: BTreeSet<&str> = calls.iter().map(|call| &*call.name).collect();
    let others = || run.iter().filter(|item| item.call().is_none());
    let is_behind = |item: &Item| item.reads().any(|name| results.contains(name));
    let at = others().position(is_behind).unwrap_or(others().count());
    let (before, behind) =
        (others().take(at).cloned().collect(), others().skip(at).cloned().collect::<Vec<_>>());
    // Until when each value is read.
    let mut until: BTreeMap<&str, usize> = BTreeMap::new();
    for (step, call) in calls.iter().enumerate() {
        until.extend(call.operands.iter().map(|operand| (&**operand, step + 1)));
    }
    let outlives =
        |name: &str| is_read(name) || behind.iter().any(|item: &Item| item.reads().any(|v| v == name));
    let mut places = Places { until, ..Places::default() };
    for call in calls.iter().filter(|call| outlives(&call.name)) {
        places.until.insert(&call.name, usize::MAX);
    }
    let mut inputs = vec![];
    for operand in calls.iter().flat_map(|call| &call.operands) {
        if !results.contains(&**operand) && !places.of.contains_key(&**operand) {
            inputs.push((operand.clone(), places.put(operand, 0)));
        }
    }
    let mut steps = vec![];
    for (at, call) in calls.iter().enumerate() {
        let from = call.operands.iter().map(|operand| places.of[&**operand]).collect();
        let (function, scalar) = (call.function.clone(), call.scalar.clone());
        steps.push(Step { function, scalar, from, to: places.put(&call.name, at + 1) });
    }
    let outputs = calls.iter().filter(|call| outlives(&call.name));
    let outputs = outputs.map(|call| (call.name.clone(), places.of[&*call.name])).collect();
    Steps { before, inputs, steps, outputs, behind }
}

/// Where values are. Time is 0 before the loop, and then the number of a step, counted from 1.
#[derive(Default)]
struct Places<'a> {
    /// When a value is last read.
    until: BTreeMap<&'a str, usize>,
    /// Its element.
    of: BTreeMap<&'a str, usize>,
    /// By element when its value is last read. A step reads before it writes.
    free: Vec<usize>,
}

impl<'a> Places<'a> {
    /// An element for a value that is written at a time.
    fn put(&mut self, value: &'a str, now: usize) -> usize {
        let place = self.free.iter().position(|last| *last <= now).unwrap_or(self.free.len());
        self.free.resize(self.free.len().max(place + 1), 0);
        self.free[place] = self.until.get(value).copied().unwrap_or(now);
        self.of.insert(value, place);
        place
    }
}

impl Steps {
    /// How many elements it holds.
    fn elements(&self) -> usize {
        let written = self.inputs.iter().map(|(_, at)| *at).chain(self.steps.iter().map(|step| step.to));
        written.max().map_or(0, |last| last + 1)
    }

    /// Whether this does what a [run](run) says: what is no call is there in its order, what comes before the
    /// loop is made of no call's result, and the loop makes the calls.
    pub(in crate::targets::wgsl) fn is(&self, run: &[Item]) -> bool {
        let calls: Vec<&Call> = run.iter().filter_map(Item::call).collect();
        let others = run.iter().filter(|item| item.call().is_none());
        let late = calls.iter().map(|call| &*call.name).chain(self.behind.iter().filter_map(Item::name));
        let late: BTreeSet<&str> = late.collect();
        let early = self.before.iter().flat_map(Item::reads);
        let operands = self.inputs.iter().map(|(operand, _)| operand);
        let operands = operands.chain(self.steps.iter().filter_map(|step| step.scalar.as_ref()));
        let mut early = early.chain(operands.flat_map(|text| identifiers(text)));
        let mut held: BTreeMap<usize, &str> = self.inputs.iter().map(|(value, at)| (*at, &**value)).collect();
        let distinct = held.len() == self.inputs.len();
        let mut made = 0;
        for (step, call) in self.steps.iter().zip(&calls) {
            let operands = step.from.iter().map(|at| held.get(at).copied());
            if (&step.function, &step.scalar) != (&call.function, &call.scalar)
                || !operands.eq(call.operands.iter().map(|x| Some(&**x)))
            {
                return false;
            }
            held.insert(step.to, &call.name);
            made += 1;
        }
        others.eq(self.before.iter().chain(&self.behind))
            && early.all(|name| !late.contains(name))
            && distinct
            && made == calls.len()
            && made == self.steps.len()
            && self.outputs.iter().all(|(name, at)| held.get(at) == Some(&&**name))
    }

    /// Its lines, each with how much deeper it stands.
    fn lines(&self) -> Vec<(usize, String)> {
        let mut lines: Vec<(usize, String)> = self.before.iter().map(|item| (0, item.line())).collect();
        let mut line = |depth: usize, text: String| lines.push((depth, text));
        let count = self.steps.len();
        for (operand, at) in &self.inputs {
            line(0, format!("e[{at}] = {operand};"));
        }
        let most = self.steps.iter().map(|step| step.from.len()).max().unwrap_or(0);
        line(0, format!("for (var step = 0u; step < {count}u; step++) {{"));
        (0..most).for_each(|k| line(1, format!("var x{k} = 0u;")));
        line(1, "var to = 0u;".into());
        line(1, "switch step {".into());
        for (at, step) in self.steps.iter().enumerate() {
            let from = step.from.iter().enumerate().map(|(k, from)| format!("x{k} = {from}u; "));
            line(2, format!("{} {}to = {}u; }}", case(&[at], count), from.collect::<String>(), step.to));
        }
        line(1, "}".into());
        line(1, "switch step {".into());
        let called = |step: &Step| (step.function.clone(), step.scalar.clone(), step.from.len());
        let functions: BTreeSet<_> = self.steps.iter().map(called).collect();
        for function in functions {
            let at: Vec<usize> = (0..count).filter(|at| called(&self.steps[*at]) == function).collect();
            let (name, scalar, operands) = function;
            let operands: Vec<String> = (0..operands).map(|k| format!("e[x{k}]")).collect();
            let arguments = arguments(scalar.as_ref(), &operands);
            line(2, format!("{} e[to] = {name}({arguments}); }}", case(&at, count)));
        }
        line(1, "}".into());
        line(0, "}".into());
        for (name, at) in &self.outputs {
            line(0, format!("let {name} = e[{at}];"));
        }
        lines.extend(self.behind.iter().map(|item| (0, item.line())));
        lines
    }
}

fn arguments(scalar: Option<&String>, operands: &[String]) -> String {
    scalar.into_iter().chain(operands).cloned().collect::<Vec<_>>().join(", ")
}

/// The start of the case of some steps of all.
fn case(steps: &[usize], count: usize) -> String {
    let last = count - 1;
    let names = steps.iter().map(|step| if *step == last { "default".into() } else { format!("{step}u") });
    match names.collect::<Vec<String>>().join(", ") {
        names if names == "default" => "default: {".into(),
        names => format!("case {names}: {{"),
    }
}

impl Item {
    fn call(&self) -> Option<&Call> {
        match self {
            Item::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The value that it gives.
    fn name(&self) -> Option<&str> {
        match self {
            Item::Call(Call { name, .. }) | Item::Value { name, .. } => Some(name),
            Item::Effect(_) => None,
        }
    }

    /// As it stands in a straight text.
    fn line(&self) -> String {
        match self {
            Item::Call(Call { name, function, scalar, operands, .. }) => {
                format!("let {name} = {function}({});", arguments(scalar.as_ref(), operands))
            }
            Item::Value { name, expression } => format!("let {name} = {expression};"),
            Item::Effect(line) => line.clone(),
        }
    }

    /// The names that stand in what it reads.
    pub(in crate::targets::wgsl) fn reads(&self) -> impl Iterator<Item = &str> {
        let (texts, scalar) = match self {
            Item::Call(Call { scalar, operands, .. }) => (&operands[..], scalar.as_ref()),
            Item::Value { expression: text, .. } | Item::Effect(text) => (std::slice::from_ref(text), None),
        };
        texts.iter().chain(scalar).flat_map(|text| identifiers(text))
    }
}

/// Names that may be of values, in a text.
pub(in crate::targets::wgsl) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with('v'))
}
