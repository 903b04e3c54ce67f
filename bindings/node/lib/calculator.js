'use strict';

// A witness by a program that circom 2 made: its functions and what they mean are circom's interface.

/** What the program says of itself when it calls `exceptionHandler`. */
const EXCEPTIONS = new Map([
  [1, 'it knows no such signal'],
  [2, 'too many signals were set'],
  [3, 'a signal was set twice'],
  [4, 'an assertion of the circuit does not hold'],
  [5, 'it has not enough memory'],
  [6, 'an index is out of the bounds of its array'],
]);

/** Why there is no witness: the caller's inputs or program. */
class WitnessError extends Error {}

/** FNV-1a of 64 bits of a name, by which the program knows its signals. */
function hash(name) {
  let state = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name, 'utf8')) {
    state = BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n);
  }
  return [Number(state >> 32n), Number(state & 0xffffffffn)];
}

/** The witness as a `.wtns` file has it. `log` gets the lines of the circuit's `log()`. */
async function calculate(module, signals, sanityCheck, log) {
  const { program, said } = await instantiate(module, log);
  const calls = (work) => {
    try {
      return work();
    } catch (error) {
      if (error instanceof WitnessError) throw error;
      // A trap, or the stack.
      throw new WitnessError(`the program of the circuit failed: ${[error.message, ...said()].join(': ')}`);
    }
  };
  return calls(() => {
    program.init(sanityCheck ? 1 : 0);
    const field = fieldOf(program);
    setInputs(program, field, signals);
    return toWtns(program, field);
  });
}

async function instantiate(module, log) {
  let program;
  const messages = [];
  let line = [];
  const message = () => {
    const bytes = [];
    for (let char = program.getMessageChar(); char !== 0; char = program.getMessageChar()) bytes.push(char);
    return Buffer.from(bytes).toString('utf8');
  };
  const runtime = {
    exceptionHandler(code) {
      const reason = EXCEPTIONS.get(code) ?? `exception ${code}`;
      throw new WitnessError(`the circuit refuses its inputs: ${[reason, ...messages].join(': ')}`);
    },
    printErrorMessage() {
      messages.push(message().trim());
    },
    writeBufferMessage() {
      const text = message();
      // A line break ends a `log()`.
      if (text === '\n') {
        log(line.join(' '));
        line = [];
      } else {
        line.push(text);
      }
    },
    showSharedRWMemory() {
      line.push(String(read(program, program.getFieldNumLen32())));
    },
  };
  const wanted = WebAssembly.Module.imports(module);
  const foreign = wanted.find(({ module: from, name, kind }) => from !== 'runtime' || !(name in runtime) || kind !== 'function');
  if (foreign) throw new WitnessError(`wasm: it imports ${foreign.module}.${foreign.name}, which no program of circom 2 does`);
  try {
    program = (await WebAssembly.instantiate(module, { runtime })).exports;
  } catch (error) {
    throw new WitnessError(`wasm: it cannot be started: ${error.message}`);
  }
  const missing = FUNCTIONS.find((name) => typeof program[name] !== 'function');
  if (missing) throw new WitnessError(`wasm: it has no function ${missing}, which every program of circom 2 has`);
  return { program, said: () => messages };
}

const FUNCTIONS = [
  'init', 'getFieldNumLen32', 'getRawPrime', 'readSharedRWMemory', 'writeSharedRWMemory', 'getInputSize',
  'getInputSignalSize', 'setInputSignal', 'getWitnessSize', 'getWitness', 'getMessageChar',
];

/** The number in the memory that both sides share, whose words have the lowest first. */
function read(program, words) {
  let value = 0n;
  for (let at = words - 1; at >= 0; at--) {
    value = (value << 32n) | BigInt(program.readSharedRWMemory(at) >>> 0);
  }
  return value;
}

/** The prime, and how many words of 32 bits an element has. */
function fieldOf(program) {
  const words = program.getFieldNumLen32();
  if (words < 1 || words > 64) throw new WitnessError(`wasm: elements of ${words} words`);
  program.getRawPrime();
  const prime = read(program, words);
  if (prime < 2n) throw new WitnessError(`wasm: its prime is ${prime}`);
  return { words, prime };
}

function setInputs(program, { words, prime }, signals) {
  const wanted = program.getInputSize();
  let given = 0;
  const hashed = signals.map(({ name, values }) => {
    const [high, low] = hash(name);
    // An unknown signal has a size of 0 or of -1, by circom's version.
    const size = program.getInputSignalSize(high, low);
    if (size < 0 || (size === 0 && values.length > 0)) throw new WitnessError(`the circuit has no input signal ${name}`);
    if (values.length !== size) {
      throw new WitnessError(`signal ${name} has ${values.length} values, the circuit takes ${size}`);
    }
    given += size;
    return [high, low];
  });
  // The program starts when it has the last one.
  if (given !== wanted) {
    const names = signals.map(({ name }) => name).join(', ') || 'none';
    throw new WitnessError(`${given} of ${wanted} input values are given, by the signals ${names}; others are missing`);
  }
  signals.forEach(({ values }, signal) => {
    const [high, low] = hashed[signal];
    values.forEach((value, index) => {
      let rest = value % prime;
      if (rest < 0n) rest += prime;
      for (let at = 0; at < words; at++) {
        program.writeSharedRWMemory(at, Number(rest & 0xffffffffn));
        rest >>= 32n;
      }
      program.setInputSignal(high, low, index);
    });
  });
}

/** Bytes of a section's head: its kind and its length. */
const HEAD = 12;

/** Version 2 of the format: a section with the field and the number of values, and one with the values. */
function toWtns(program, { words, prime }) {
  const count = program.getWitnessSize();
  const bytes = 4 * words;
  const lengths = [4 + bytes + 4, count * bytes];
  const file = Buffer.alloc(12 + HEAD + lengths[0] + HEAD + lengths[1]);
  let at = file.write('wtns', 'latin1');
  const put = (value) => (at = file.writeUInt32LE(value, at));
  const section = (kind) => {
    put(kind);
    at = file.writeBigUInt64LE(BigInt(lengths[kind - 1]), at);
  };
  put(2);
  put(2);
  section(1);
  put(bytes);
  for (let rest = prime, word = 0; word < words; word++, rest >>= 32n) put(Number(rest & 0xffffffffn));
  put(count);
  section(2);
  for (let value = 0; value < count; value++) {
    program.getWitness(value);
    for (let word = 0; word < words; word++) put(program.readSharedRWMemory(word) >>> 0);
  }
  return new Uint8Array(file.buffer, file.byteOffset, file.length);
}

module.exports = { WitnessError, calculate };
