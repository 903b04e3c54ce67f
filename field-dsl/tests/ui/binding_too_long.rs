use curvesmith_field_dsl::field;

field! {
    pub mod toy {
        crate = curvesmith_runtime;
        p = 17;
        arkworks {
            fp =
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                a::a::a::a::a::a::a::a::a::a::
                Fp;
        }
    }
}

fn main() {
    let _ = toy::FpField;
    let _: Option<toy::Fp> = None;
}
