import { hash } from 'node:crypto';
import * as v from 'valibot';
import type { Actor, Guest } from '../actor.ts';
import { broughtHeaders, headerOf, inputHeaders, type HeaderFields } from '../contract/header-fields.ts';
import type { Operation } from '../contract/operation.ts';
import { fieldProblem } from '../problem.ts';
import { messageOf } from './input-problem.ts';

/** What came with a request beside its input. */
export interface Brought {
  readonly device?: Uint8Array;
  readonly unlockKey?: Uint8Array;
  readonly idempotencyKey?: string;
}

/**
 * Reads what the headers of an operation's requests bring beside its input; undefined where it declares nothing of the kind. What is read
 * throws Problem invalid VALIDATION_ERROR, which names the header and doesn't repeat what was sent.
 */
export function broughtReader(op: Operation): ((headers: Headers) => Brought) | undefined {
  const fields = named(broughtHeaders(op));
  if (fields.length === 0) return undefined;
  return (headers) => {
    const brought: Record<string, unknown> = {};
    for (const [field, header, schema] of fields) {
      const text = headers.get(header);
      if (text !== null) brought[field] = parsed(header, schema, text);
    }
    return brought;
  };
}

/** Whoever acts, with the keys that are theirs: a guest is known by a device, and a member opens vaults. */
export function withKeys(actor: Actor | Guest, { device, unlockKey }: Brought): Actor | Guest {
  if (actor.kind === 'guest') return device === undefined ? actor : { ...actor, device: hash('sha256', device, 'hex') };
  return unlockKey === undefined ? actor : { ...actor, unlockKey };
}

/** Reads the fields of an operation's input that are headers, still unchecked; undefined where there are none. */
export function inputHeaderReader(op: Operation): ((headers: Headers) => Record<string, unknown>) | undefined {
  const fields = named(inputHeaders(op));
  if (fields.length === 0) return undefined;
  // A header that isn't there takes the place of what a body calls by the name of its field.
  return (headers) =>
    Object.fromEntries(fields.map(([field, header]) => [field, headers.get(header) ?? undefined] as const));
}

function named(fields: HeaderFields): (readonly [field: string, header: string, schema: v.GenericSchema])[] {
  return Object.entries(fields).map(([field, schema]) => [field, headerOf(schema) ?? field, schema]);
}

function parsed(header: string, schema: v.GenericSchema, text: string): unknown {
  const result = v.safeParse(schema, text, { abortEarly: true });
  if (result.success) return result.output;
  const message = messageOf(result.issues[0]);
  throw fieldProblem(header, message);
}
