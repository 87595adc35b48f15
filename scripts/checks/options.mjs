/**
 * @typedef {{
 *   stage: 'quick' | 'all' | 'soak',
 *   changed: string | undefined,
 *   remember: boolean,
 *   factor: string | undefined,
 *   part: { number: number, of: number } | undefined,
 *   others: string[],
 * }} CheckOptions others go to vitest
 */

/** @returns {CheckOptions} @throws Error that says which option is wrong, and what it can be */
export function checkOptions(words) {
  /** @type {CheckOptions} */
  const options = {
    stage: 'quick',
    changed: undefined,
    remember: false,
    factor: undefined,
    part: undefined,
    others: [],
  };
  const rest = [...words];
  /** What follows `=`, or is the next word. */
  const valueOf = (word, name) => {
    const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : rest.shift();
    if (value === undefined || value === '') throw new Error(`${name} needs a value.`);
    return value;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name] = word.split('=', 1);
    if (word === '--all') options.stage = options.stage === 'soak' ? 'soak' : 'all';
    else if (word === '--soak') options.stage = 'soak';
    else if (word === '--remember') options.remember = true;
    else if (name === '--changed') options.changed = word.slice('--changed='.length) || 'HEAD';
    else if (name === '--factor') options.factor = factorOf(valueOf(word, name));
    else if (name === '--part') options.part = partOf(valueOf(word, name));
    else options.others.push(word);
  }
  if (options.part !== undefined && options.stage !== 'soak') throw new Error('--part goes with --soak only.');
  return options;
}

function factorOf(text) {
  if (!/^\d{1,5}(?:\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new Error(`--factor is ${text}; it is a number above 0, such as 3 or 0.5.`);
  return text;
}

function partOf(text) {
  const [, number, of] = /^(\d{1,2})\/(\d{1,2})$/.exec(text)?.map(Number) ?? [];
  if (number === undefined || number < 1 || number > of) throw new Error(`--part is ${text}; it is like 2/4.`);
  return { number, of };
}
