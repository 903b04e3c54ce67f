@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> params: array<vec4<u32>, 2>;

@compute @workgroup_size(256)
fn set_bits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = group.x + group.y * groups.x;
    let i = block * 256u + thread;
    if (block >= params[0].x || i >= params[0].z) {
        return;
    }
    let mask = params[1].x;
    let at = params[0].y + i;
    words[at] = (words[at] & ~mask) | (params[0].w & mask);
}
