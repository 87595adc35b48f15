import type { GenericSchema } from 'valibot';
import type { FieldProblem } from '../problem.ts';

type Schema = GenericSchema & {
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
};

/** The places where a list stands for an object. valibot lets that pass where the object has no field that is needed. */
export function listsAsObjects(schema: Schema, value: unknown, path = ''): FieldProblem[] {
  const { wrapped, type, entries, item } = schema;
  if (wrapped !== undefined) return listsAsObjects(wrapped, value, path);
  const below = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if (/^(?:strict_|loose_)?object$/.test(type) && entries !== undefined) {
    if (Array.isArray(value)) return [{ path, message: 'must be an object' }];
    if (typeof value !== 'object' || value === null) return [];
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.entries(entries).flatMap(([name, entry]) => listsAsObjects(entry, fields[name], below(name)));
  }
  if (type === 'array' && item !== undefined && Array.isArray(value)) {
    return value.flatMap((one, at) => listsAsObjects(item, one, below(at)));
  }
  return [];
}
