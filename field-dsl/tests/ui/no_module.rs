use curvesmith_field_dsl::field;

field! {
    p = 13;
}

fn main() {}
