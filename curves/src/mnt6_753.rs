//! MNT6-753 (Ben-Sasson, Chiesa, Tromer and Virza, 2014): a curve of Miyaji, Nakabayashi and Takano with
//! embedding degree 6, which makes a cycle with MNT4-753. The second group is over a cubic extension.
//!
//! Constants: ark-mnt6-753 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// MNT6-753: 753-bit coordinates, 24 words; two-adicity 15 of `Fr`.
    pub mod mnt6_753 {
        crate = curvesmith_runtime;
        fq = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db26c5c28c859a99b3eebca9429212636b9dff97634993aa4d6c381bc3f0057974ea099170fa13a4fd90776e240000001 {
            generator = 17;
            small_subgroup = 5^2;
        };
        fr = 0x1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001 {
            generator = 17;
            small_subgroup = 5^2;
        };
        fq3 = fq[u] / (u^3 - 11);
        g1: short_weierstrass over fq {
            a = 11;
            b = 0x7da285e70863c79d56446237ce2e1468d14ae9bb64b2bb01b10e60a5d5dfe0a25714b7985993f62f03b22a9a3c737a1a1e0fcf2c43d7bf847957c34cca1e3585f9a80a95f401867c4e80f4747fde5aba7505ba6fcf2485540b13dfc8468a;
            generator = (
                0x255f8e876e831147412cfb1002284f30338088131c2437e884c4997fd1dcb409367d0c0d5fc5e818771b931f1d5bdd069ce5e3c57b6df120cee3cd9d867e66d11acbf7da60895b8b3d9d442c4c4123329a6fefa9a1f3f7a1fbd93a7bffb8,
                0x128c02fff6e2eb3fca70dc1063bac34551801202a3585bdd6d7722c6c07d7873bb02d4c7a18ed9c4bd3c7ed0ffb31c57e610dc7a593cce5a792e94d0020c335b74d9992f5cbf4b2cc4c42eff9a5a6c4521df9855687139f0c51754c0ccc49,
            );
            cofactor = 1;
        };
        g2: short_weierstrass over fq3 {
            a = [0, 0, 11];
            b = [0x17a938351016635b04876bbd72f1b8943846f85e43e5eceae0b1e158a7458f00927229a910b2c691ba1af08fb21d27da36338dd9ed737dedd708e8e93ca81f21cdd5d6a5cc22430cda55c40077c7fa213bf9d3ea37a22f861533dd9b07eb, 0, 0];
            generator = (
                [
                    0x1267c08301ffc470b2c74e76ba49c796df729ff6b68f7cf7399947c68c8f8c065a7742922138b07b78bdd4039fc1bc9ec81adc2b8fa170129b4202c158d66a61fe12925cf0d266dfc3430ecaef072dcf07a24199b60542b75e5f0b36f7ebc,
                    0x1827732f805b7b8c7ba378b5f92be18fb0be4048b9c6325a99179cd231c9f32abe7874179a58a8c8505b8aff83c92eb50fc641e0a30499ba49f5f2facddc02082aa2f7c48af13fcb0f274bfc361d48335c71b59ae90240a6f6393835c7890,
                    0x18f5b1114d5b9cee18f45c43d8c85b0dbff4241c21ae3729f8a86d0af895a0ceebbfc180429245bed2b101fbf50445e8692443a03736d33a1b6f10235122dfe7bc306aa008ac103c6694ae9bfb5046dfb752448ff233a73f020c39d368566,
                ],
                [
                    0x1b7555e50829d36d864747081c5e62641dd349537d9d35715a434ce1557831773522b988bf6e73b358b239528c39ffc0b7b7dcc17e661f5c2180ab0c4789a4220334ef5a9aa0f9603fcd8edbab9e0c12f1bc58e0ee1646735675b756c457,
                    0x53f47f30457258ab9d593625c834d75c14d47a3d2ee8c7345438db8876e2eb929f3a14ee3efcc99b5515eb65d2157adb955d8fc4c25ff270d8c28ed7311f4f6e43f0f81fc9e1712d14ab0519a91b0f51bcaecc0726a5860d26cad3df2679,
                    0xe318a4c659b1fb58291798059833010dd5e611100ef0cda2999171ddb7371e8d3e06dfb7fbde0f7e481a01e399d5e567fe6b2b9e1f7b1453731e19e2b0d2d3fd75b8c94b3fc5395944539534016c6057d8e48c98a0b268d353a163b8ae79,
                ],
            );
            cofactor = 0x320cc6a58cb8078713bbf018b2f48ca819e99ddc451e513f8f3102a9ca80fe42e26865a9fe4add8dcc2b664884d6ae2386a6cc1ebe655d99477c1a210b59bf579e27718440b367861ecb8a3faaeab6a88d8766394f06212969fa553cafdf90b0a130158dc24193d3622676e8d20263932a197b6ebce73086230450ba569d6d25c051da042bfee11b09da072977c9a2c218777f2a9b22ff5f7a2d737ff14d431154f3deeb01d491f05951364e806f2920fb3d823ecf791c4a6c0000000;
        };
        arkworks {
            fq = ark_mnt6_753::Fq;
            fr = ark_mnt6_753::Fr;
            fq3 = ark_mnt6_753::Fq3;
            g1 = ark_mnt6_753::G1Projective;
            g2 = ark_mnt6_753::G2Projective;
            engine = ark_mnt6_753::MNT6_753;
        }
    }
}
