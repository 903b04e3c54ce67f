use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        // To the first nine prime bases.
        p = 3825123056546413051;
    }
}

fn main() {
    let _ = toy::FpField;
    let _: Option<toy::Fp> = None;
}
