use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 0;
    }
}

fn main() {
    let _ = toy::FpField;
    let _: Option<toy::Fp> = None;
}
