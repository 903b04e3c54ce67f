// What runs in a worker: the module of WebAssembly, and what it is asked for, one call after the other.

/** Whether calls of the module can wait for a device. */
const canWait = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';
if (!canWait) {
  // The module asks for both when it is loaded. A call that would wait is refused before it is made.
  WebAssembly.Suspending = function Suspending(call) {
    return call;
  };
  WebAssembly.promising = (call) => call;
}

/** The module's functions and its memory, once it is loaded. */
let loaded;
/** The key of this worker. */
let prover;

async function load() {
  const module = await import('./curvesmith_web.js');
  const { memory } = await module.default({ module_or_path: new URL('./curvesmith_web_bg.wasm', import.meta.url) });
  return { module, memory };
}

/** An error that a call ends with, as the module throws them. */
function failure(code, message) {
  return { code, message };
}

/** The bytes of a source in the module's memory. */
async function take(what, source) {
  const { module, memory } = loaded;
  const blob = typeof source === 'string' ? await get(what, source) : source;
  const size = blob instanceof Blob ? blob.size : blob.length;
  const bytes = new module.Bytes(size);
  const put = (at, chunk) => new Uint8Array(memory.buffer, bytes.begin + at, chunk.length).set(chunk);
  if (!(blob instanceof Blob)) {
    put(0, blob);
    return bytes;
  }
  try {
    const reader = blob.stream().getReader();
    let at = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      put(at, next.value);
      at += next.value.length;
    }
  } catch (error) {
    bytes.free();
    throw failure('input', `${what}: ${error.message}`);
  }
  return bytes;
}

async function get(what, address) {
  let answer;
  try {
    answer = await fetch(address);
    if (answer.ok) return await answer.blob();
  } catch (error) {
    throw failure('input', `${what}: ${address}: ${error.message}`);
  }
  throw failure('input', `${what}: ${address}: ${answer.status} ${answer.statusText}`);
}

/** The name by which the module knows a device. */
function known(device) {
  if (canWait || device === 'cpu') return device;
  if (device === 'auto') return 'cpu';
  throw failure('device', `${device}: this browser has no JavaScript Promise Integration (WebAssembly.Suspending), `
    + 'without which WebAssembly cannot wait for a GPU; use the device "cpu"');
}

const calls = {
  async devices() {
    const describe = async (name) => {
      try {
        return { name, usable: true, description: await loaded.module.describeDevice(known(name)) };
      } catch (error) {
        if (error.code === undefined) throw error;
        return { name, usable: false, description: error.message };
      }
    };
    const found = [];
    for (const name of ['auto', 'wgpu', 'cpu']) found.push(await describe(name));
    return found;
  },

  async loadKey({ zkey, device, switches }, progress) {
    const name = known(device);
    const options = new loaded.module.Options();
    for (const [name, on] of Object.entries(switches)) options.set(name, on);
    progress('device');
    await loaded.module.describeDevice(name);
    progress('key');
    prover = await loaded.module.loadKey(await take('zkey', zkey), name, options);
    return prover.describe();
  },

  async prove({ wtns }, progress) {
    progress('witness');
    const bytes = await take('wtns', wtns);
    progress('proof');
    return loaded.module.prove(prover, bytes);
  },

  async verify({ key, publicSignals, proof }) {
    return loaded.module.verify(key, publicSignals, proof);
  },
};

async function answer({ id, name, arguments: given }) {
  const progress = (step) => postMessage({ id, progress: step });
  try {
    if (!loaded) {
      progress('module');
      loaded = await load();
    }
    postMessage({ id, value: await calls[name](given, progress) });
  } catch (error) {
    if (error?.code !== undefined && !(error instanceof Error)) {
      postMessage({ id, error });
      return;
    }
    // A trap: what the module holds cannot be trusted any more.
    const size = loaded ? `; its memory has ${loaded.memory.buffer.byteLength >> 20} MiB, of 4096 at most` : '';
    postMessage({ id, error: failure('internal', `the module stopped: ${error}${size}`), fatal: true });
  }
}

let last = Promise.resolve();
addEventListener('message', ({ data }) => {
  last = last.then(() => answer(data));
});
