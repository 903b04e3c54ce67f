use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 13;
    }
}

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 17;
    }
}

fn main() {}
