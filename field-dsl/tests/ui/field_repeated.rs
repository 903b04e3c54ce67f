use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 17;
        p = 17;
        generator = 3;
        generator = 3;
        crate = curvesmith_runtime;
        two_adic_root = 3;
        two_adic_root = 3;
        small_subgroup = 3^1;
        small_subgroup = 3^1;
        order = 16;
    }
}

fn main() {
    let _ = toy::FpField;
    let _: Option<toy::Fp> = None;
}
