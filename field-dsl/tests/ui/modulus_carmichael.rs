use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 0x51000000000000003a7946c0000000000e1218c4f54000000120ed683cb59d9;
    }
}

fn main() {
    let _ = toy::FpField;
    let _: Option<toy::Fp> = None;
}
