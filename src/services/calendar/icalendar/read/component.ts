import type { JcalComponent, JcalProperty } from '../jcal.ts';
import { linesOf, unfolded } from '../text/lines.ts';
import { ownPrefix } from '../text/lines-of-property.ts';
import { LineError, propertyFrom } from '../text/property.ts';
import { readLimits } from './limits.ts';
import type { ReadProblem } from './problem.ts';
import type { Found } from './scan.ts';

interface Open {
  readonly name: string;
  readonly properties: JcalProperty[];
  readonly components: JcalComponent[];
}

/** Reads one component as it was found. Lines that are no properties are left out and named. */
export function readComponent(bytes: Uint8Array, found: Found): { component: JcalComponent; warnings: ReadProblem[] } {
  const outer = opened(found.name);
  const stack = [outer];
  const warnings: ReadProblem[] = [];
  const warn = (line: number, code: ReadProblem['code'], message: string): void => {
    if (warnings.length < readLimits.problems) warnings.push({ line, code, message });
  };
  if (found.open) warn(found.line, 'COMPONENT_NOT_ENDED', `Its line END:${found.name} is missing.`);
  let first = true;
  for (const line of linesOf(bytes, found.start, found.end, found.line)) {
    const { text, utf8 } = unfolded(bytes, line);
    const [, verb, name = ''] = /^(BEGIN|END)\s*:\s*([\w.-]*)\s*$/i.exec(text) ?? [];
    if (!utf8) warn(line.number, 'TEXT_NOT_UTF8', 'It is not UTF-8 and was read as windows-1252.');
    if (first) first = false;
    else if (verb === undefined) takeProperty(stack.at(-1) ?? outer, text, line.number, warn);
    else if (verb.length === 5) stack.push(opened(name));
    else end(stack, name.toLowerCase());
  }
  while (stack.length > 1) endLast(stack);
  return { component: [outer.name, outer.properties, outer.components], warnings };
}

function opened(name: string): Open {
  return { name: name.toLowerCase(), properties: [], components: [] };
}

function takeProperty(
  { properties }: Open,
  text: string,
  line: number,
  warn: (line: number, code: ReadProblem['code'], message: string) => void,
): void {
  // Lines of blanks end no event.
  if (text.trim() === '') return;
  try {
    const property = propertyFrom(text);
    // What the node notes for itself nobody else says.
    if (!property[0].startsWith(ownPrefix)) properties.push(property);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    warn(line, 'LINE_INVALID', `The line was left out: ${error.message}.`);
  }
}

/** An END ends what was not ended in it; one of something that isn't open ends nothing. The outermost component ends with its bytes. */
function end(stack: Open[], name: string): void {
  const at = stack.findLastIndex((open) => open.name === name);
  if (at > 0) for (let left = stack.length - at; left > 0; left -= 1) endLast(stack);
}

function endLast(stack: Open[]): void {
  const last = stack.pop();
  if (last !== undefined) stack.at(-1)?.components.push([last.name, last.properties, last.components]);
}
