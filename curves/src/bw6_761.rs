//! The fields of BW6-761 (El Housni and Guillevic, 2020), whose scalars are BLS12-377's
//! coordinates. Its groups are not declared.
//!
//! Constants: ark-bw6-761 0.6 (the const assertions compare them).

use curvesmith_field_dsl::field;

field! {
    /// Coordinates of BW6-761: 761 bits, 24 words, two-adicity 1.
    pub mod bw6_761_fq {
        crate = curvesmith_runtime;
        p = 0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b;
        generator = 2;
        arkworks { fp = ark_bw6_761::Fq; }
    }
}

field! {
    /// Scalars of BW6-761: 377 bits, two-adicity 46.
    pub mod bw6_761_fr {
        crate = curvesmith_runtime;
        p = 0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001;
        generator = 15;
        arkworks { fp = ark_bw6_761::Fr; }
    }
}
