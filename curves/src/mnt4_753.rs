//! MNT4-753 (Ben-Sasson, Chiesa, Tromer and Virza, 2014): a curve of Miyaji, Nakabayashi and Takano with
//! embedding degree 4, which makes a cycle with MNT6-753.
//!
//! Constants: ark-mnt4-753 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// MNT4-753: 753-bit coordinates, 24 words; two-adicity 30 of `Fr`.
    pub mod mnt4_753 {
        crate = curvesmith_runtime;
        fq = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001 {
            generator = 17;
            small_subgroup = 5^2;
        };
        fr = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db26c5c28c859a99b3eebca9429212636b9dff97634993aa4d6c381bc3f0057974ea099170fa13a4fd90776e240000001 {
            generator = 17;
            small_subgroup = 5^2;
        };
        fq2 = fq[u] / (u^2 - 13);
        g1: short_weierstrass over fq {
            a = 2;
            b = 0x1373684a8c9dcae7a016ac5d7748d3313cd8e39051c596560835df0c9e50a5b59b882a92c78dc537e51a16703ec9855c77fc3d8bb21c8d68bb8cfb9db4b8c8fba773111c36c8b1b4e8f1ece940ef9eaad265458e06372009c9a0491678ef4;
            generator = (
                0x542f1dad450bb76a02d86daaffbaeb69995eb9efa5546444d40c82d6a271f1a438626d1ef781d1de4ffb1f806b314c5ad3463d98a4ea009d57aad9716f708885feff338dd73a5a7eeecfbce7cf95d3c2ab23be1c24740af0fdeb3b7f1981,
                0x4ab6473526e257b175ae94deb9e10aba4ba72f7fddcdea19cb10b2bf61f37ae2c456ee5599dd7c3dfa4100284833115aec5dea57ef53ee29157bdf1b741aebd423036db8fb990a342449caeb92fa6b031ea99cff05e05ec3be2e4a050358,
            );
            cofactor = 1;
        };
        g2: short_weierstrass over fq2 {
            a = [26, 0];
            b = [0, 0x1a7934ffc1fac5b1d915494da7dbdd834b5b608c4f11f302763f9d581ddee63a09573523ab6c36ee0fe65305b46ced262413a70c08a45249ff55e1586e46009a1a6323359dded46bcc103a7639329cde04fb71c7c7fcf1370b34a3f4e425c];
            generator = (
                [
                    0x13e9dfbe8bd56ff16bfa1e610610d281270eaee6cbd5670c0ba020c7b973cd92d0c7cfc008ecbb54033590f5ea75f5e2604eac5e917e7ff66f105f7303f5a8f151f81dea47d9b8e8672092909b693706ce02af9c0ae6017a4c6080f41bbaf,
                    0xd4f3bdaf6bcdb61277e895ca25762d895a3101d6b431ffd2633426496bfad7f6fb2ed8c086832f8d2fce57ed6f2076954e19972f6da592d8441bd2aeb5690030fa3ba00357e516c309bd0a413bdde3c3c929796599dc94a79b2733a60f18,
                ],
                [
                    0x1af9c8749ff4a8b69d1f37083ed87e41db9b1acb15484d87da9935ab4fde4600c4d95471fe3987563fdb55a761daadc4ef13141d4b1b1586c2812fb73184e141fd4be6c83eb70309f33995675e51f8f9f251ec4dc1ad9b6be184838ab5fee,
                    0xbe4974c02aa414a41d2f0a00042834894abeeb564599eb69d1fb4be976dd0d2f0e2ede32ee9a10376400ea7a55347e6cd9ce0f70177e5f03576c08b59338d3a5de6f6db8baa484a6d2f023f5f629b4386026a0f641fd29b068fb1b02fc3d,
                ],
            );
            cofactor = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79dafc372c51bd661a0313250b76d85d63a16d5a05cb84b6ea3f04c9f26f687f44a789a0f8d4a18e8eee41950da08bd0001;
        };
        arkworks {
            fq = ark_mnt4_753::Fq;
            fr = ark_mnt4_753::Fr;
            fq2 = ark_mnt4_753::Fq2;
            g1 = ark_mnt4_753::G1Projective;
            g2 = ark_mnt4_753::G2Projective;
            engine = ark_mnt4_753::MNT4_753;
        }
    }
}
