import type { Entry, EntryType } from '../../../contract/passvault/entry.ts';
import { Problem } from '../../../base/problem.ts';
import { knownField } from './entry-fields.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/** The source of a field's value. */
export type Source =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'generate'; readonly recipe: Recipe }
  | { readonly kind: 'prompt' }
  | { readonly kind: 'delete' };

export interface Recipe {
  readonly length?: number;
  readonly words?: number;
}

/** The target of an assignment: a standard field, or a custom field of this entry. */
export interface EntryAssignment {
  /** as it was written */
  readonly name: string;
  readonly target:
    | {
        readonly kind: 'known';
        readonly property: NonNullable<ReturnType<typeof knownField>>['property'];
        readonly label: string;
      }
    | { readonly kind: 'tags' | 'favorite' | 'archived' | 'urls' }
    | { readonly kind: 'custom'; readonly hidden: boolean };
  readonly source: Source;
}

const form = /^(?<name>[^=[\]]+)(?:\[(?<modifiers>[^[\]]*)\])?(?:=(?<value>[\s\S]*))?$/;
const usualWords = 6;

/**
 * Reads `username=alice`, `password[generate]`, `password[generate=32]`, `password[generate=6words]`, `password[prompt]`,
 * `password[file]=path`, `notes[delete]`, `tags=a,b`, `favorite=yes`, `Account[text]=4711` and `PIN[hidden]`. The last two create custom
 * fields. An assignment never contains a secret.
 *
 * @param existing the entry that is changed; its custom fields need no `[text]` or `[hidden]`
 * @throws Problem invalid USAGE, SECRET_AS_ARGUMENT; neither repeats a value
 */
export function parseAssignment(
  text: string,
  type: EntryType,
  existing?: Pick<Entry, 'customFields'>,
): EntryAssignment {
  const groups = form.exec(text)?.groups;
  const name = groups?.['name']?.trim() ?? '';
  if (name === '') throw usage('Give fields as name=value, name[generate], name[prompt] or name[file]=PATH.');
  const modifiers = (groups?.['modifiers'] ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const makes = modifiers.filter((word) => word === 'text' || word === 'hidden');
  const rest = modifiers.filter((word) => word !== 'text' && word !== 'hidden');
  const [how, ...surplus] = rest;
  if (surplus.length > 0 || makes.length > 1) throw usage(`${name}: one of [${modifiers.join(', ')}] is too many.`);
  const target = targetOf(name, makes[0], type, existing);
  const secret = isSecret(name, target);
  const source = sourceOf(name, how, groups?.['value'], { secret, made: makes[0] });
  if ((source.kind === 'generate' || source.kind === 'prompt') && target.kind !== 'known' && target.kind !== 'custom') {
    throw usage(`Give ${name} as ${name}=VALUE.`);
  }
  return { name, target, source };
}

function targetOf(
  name: string,
  make: string | undefined,
  type: EntryType,
  existing: Pick<Entry, 'customFields'> | undefined,
): EntryAssignment['target'] {
  if (make !== undefined) return { kind: 'custom', hidden: make === 'hidden' };
  const lists = {
    tags: 'tags',
    favorite: 'favorite',
    favourite: 'favorite',
    archived: 'archived',
    urls: 'urls',
  } as const;
  if (Object.hasOwn(lists, name)) return { kind: lists[name as keyof typeof lists] };
  const common = knownField(name);
  if (common?.types.includes(type) === true) {
    return { kind: 'known', property: common.property, label: common.label };
  }
  const own = existing?.customFields?.find((field) => field.name === name);
  if (own !== undefined) return { kind: 'custom', hidden: own.hidden };
  const message = `An entry of type ${type} has no ${JSON.stringify(name)}. Add a custom field with '${name}[text]=VALUE', or with '${name}[hidden]' for a secret that is asked for. '${name}[hidden,file]=PATH' and '${name}[text,file]=PATH' read it from a file.`;
  throw usage(message);
}

function isSecret(name: string, target: EntryAssignment['target']): boolean {
  if (target.kind === 'known') return knownField(name)?.secret === true;
  return target.kind === 'custom' && target.hidden;
}

function sourceOf(
  name: string,
  how: string | undefined,
  value: string | undefined,
  { secret, made }: { secret: boolean; made: string | undefined },
): Source {
  if (how === undefined && value !== undefined) {
    if (secret) throw secretTyped(name, made);
    return { kind: 'value', value };
  }
  if (how === 'file') {
    if (value === undefined || value === '')
      throw usage(`${name}[file] needs a path: ${name}[file]=PATH (- for standard input).`);
    return { kind: 'file', path: value };
  }
  if (how?.startsWith('generate=') === true || how === 'generate') {
    if (value !== undefined)
      throw usage(`${name}[generate] has no value. Write the length inside: ${name}[generate=32].`);
    return { kind: 'generate', recipe: recipeOf(name, how.slice('generate='.length)) };
  }
  if (value !== undefined) throw usage(`${name}[${how}] has no value.`);
  if (how === 'delete') return { kind: 'delete' };
  if (how === 'prompt' || (how === undefined && secret)) return { kind: 'prompt' };
  throw usage(
    how === undefined
      ? `${name} has no value.`
      : `${name}[${how}]: use generate, prompt, file, delete, text or hidden.`,
  );
}

function recipeOf(name: string, text: string): Recipe {
  if (text === '') return {};
  const words = /^(\d{0,2})words?$/.exec(text);
  if (words !== null) return { words: wholeNumber(words[1]) ?? usualWords };
  const length = wholeNumber(text, 999);
  if (length === undefined) throw usage(`${name}[generate=…]: a length such as 32, or words such as 6words.`);
  return { length };
}

/** The message for a new custom field also names its kind, before the source of its value. */
function secretTyped(name: string, made: string | undefined): Problem {
  const withHow = (how: string) => `${name}[${made === undefined ? how : `${made},${how}`}]`;
  const message = `Secrets are not accepted as arguments. Use '${withHow('prompt')}', '${withHow('generate')}' or '${withHow('file')}=PATH' (- for standard input).`;
  return new Problem('invalid', 'SECRET_AS_ARGUMENT', message);
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
