import { safeParse } from 'valibot';
import { mail } from '../../contract/mail.ts';
import type { RawInputOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';

type Rules = RawInputOf<typeof mail.putRules>['rules'];

/**
 * Rules from a file: a list, or an object with `rules`.
 *
 * @throws Problem invalid INPUT_INVALID that says where
 */
export function rulesIn(text: string, name: string): Rules {
  const given = withRules(jsonIn(text, name));
  const { issues } = safeParse(mail.putRules.input, given);
  if (issues === undefined) return (given as { readonly rules: Rules }).rules;
  const fields = issues.map(({ path = [], message }) => ({
    path: path.map(({ key }) => String(key)).join('.'),
    message,
  }));
  throw new Problem('invalid', 'INPUT_INVALID', `${name} is no list of rules. See docs/mail.md for an example.`, {
    fields,
  });
}

function jsonIn(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid', 'INPUT_INVALID', `${name} is not JSON. See docs/mail.md for an example.`);
  }
}

function withRules(value: unknown): object {
  return typeof value === 'object' && value !== null && 'rules' in value ? value : { rules: value };
}
