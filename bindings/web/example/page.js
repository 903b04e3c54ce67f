// Proves what is dropped on the page.

import { devices, groth16, loadKey } from 'curvesmith-web';

const byId = (id) => document.getElementById(id);
const STEPS = {
  module: 'loading the module',
  device: 'opening the device',
  key: 'reading the key and bringing it to the device',
  witness: 'reading the witness',
  proof: 'proving',
};

let running;

function choose(files) {
  for (const input of [byId('zkey'), byId('wtns')]) {
    const found = [...files].find((file) => file.name.endsWith(`.${input.id}`));
    if (!found) continue;
    const chosen = new DataTransfer();
    chosen.items.add(found);
    input.files = chosen.files;
  }
  ready();
}

function ready() {
  byId('prove').disabled = Boolean(running) || !(byId('zkey').files[0] && byId('wtns').files[0]);
  byId('stop').disabled = !running;
}

/** The steps of a proof with their times. */
function steps() {
  const list = byId('steps');
  list.replaceChildren();
  let last;
  const end = () => {
    if (last) last.time.textContent = ` ${((performance.now() - last.begin) / 1e3).toFixed(2)} s`;
    last = undefined;
  };
  const begin = (step) => {
    end();
    const [item, time] = [document.createElement('li'), document.createElement('time')];
    item.append(STEPS[step] ?? step, time);
    list.append(item);
    last = { time, begin: performance.now() };
  };
  return { begin, end };
}

async function prove() {
  running = new AbortController();
  byId('result').hidden = true;
  byId('failure').textContent = '';
  byId('what').textContent = '';
  ready();
  const shown = steps();
  const options = { signal: running.signal, onProgress: shown.begin };
  let key;
  try {
    key = await loadKey(byId('zkey').files[0], { ...options, device: byId('device').value, multiples: false });
    byId('what').textContent = `${key.curve}, ${key.wires} wires, on ${key.device}`;
    const { proof, publicSignals, stages } = await key.prove(byId('wtns').files[0], options);
    shown.end();
    await show(key.verificationKey, proof, publicSignals, stages);
  } catch (error) {
    shown.end();
    byId('failure').textContent = error.code ? `${error.code}: ${error.message}` : String(error);
  } finally {
    key?.free();
    running = undefined;
    ready();
  }
}

async function show(verificationKey, proof, publicSignals, stages) {
  byId('stages').replaceChildren(
    ...stages.map(({ name, milliseconds }) => {
      const row = document.createElement('tr');
      for (const text of [name, `${milliseconds.toFixed(1)} ms`]) {
        const cell = document.createElement('td');
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    }),
  );
  byId('proof').textContent = JSON.stringify({ proof, publicSignals }, null, 1);
  const by = [['curvesmith', groth16], ['snarkjs', globalThis.snarkjs?.groth16]].filter(([, judge]) => judge);
  const verdicts = await Promise.all(by.map(([, judge]) => judge.verify(verificationKey, publicSignals, proof)));
  const names = by.map(([name]) => name).join(' and ');
  const valid = verdicts.every(Boolean);
  byId('verdict').textContent = valid ? `valid, say ${names}` : `not valid: ${names} say ${verdicts.join(', ')}`;
  byId('verdict').className = valid ? '' : 'bad';
  byId('result').hidden = false;
}

for (const input of [byId('zkey'), byId('wtns')]) input.addEventListener('change', ready);
byId('prove').addEventListener('click', prove);
byId('stop').addEventListener('click', () => running?.abort(new Error('stopped')));
const drop = byId('drop');
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  choose(event.dataTransfer.files);
});

for (const { name, usable, description } of await devices()) {
  const option = new Option(`${name}: ${description}`, name);
  option.disabled = !usable;
  byId('device').append(option);
}
ready();
document.body.dataset.ready = 'yes';
