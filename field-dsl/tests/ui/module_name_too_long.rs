use curvesmith_field_dsl::field;

field! {
    pub mod mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm {
        crate = curvesmith_runtime;
        p = 13;
    }
}

fn main() {
}
