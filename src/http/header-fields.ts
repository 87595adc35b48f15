import { hash } from 'node:crypto';
import * as v from 'valibot';
import type { Actor, Guest } from '../service/actor.ts';
import { broughtHeaders, headerOf, inputHeaders, type HeaderFields } from '../contract/header-fields.ts';
import type { Operation } from '../contract/operation.ts';
import { fieldProblem } from '../base/problem.ts';
import { messageOf } from './input-problem.ts';

/** Values that came with a request beside its input. */
export interface Brought {
  readonly device?: Uint8Array;
  readonly unlockKey?: Uint8Array;
  readonly idempotencyKey?: string;
}

/**
 * A reader for the values that the headers of an operation bring beside its input; undefined if the operation declares none. The reader
 * throws Problem invalid VALIDATION_ERROR, which names the header and doesn't repeat its value.
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

/** The actor with its own keys: a guest is recognised by a device, and a member opens vaults with the unlock key. */
export function withKeys(actor: Actor | Guest, { device, unlockKey }: Brought): Actor | Guest {
  if (actor.kind === 'guest') return device === undefined ? actor : { ...actor, device: hash('sha256', device, 'hex') };
  return unlockKey === undefined ? actor : { ...actor, unlockKey };
}

/** A reader for the input fields of an operation that are headers; it does not validate them. undefined if there are none. */
export function inputHeaderReader(op: Operation): ((headers: Headers) => Record<string, unknown>) | undefined {
  const fields = named(inputHeaders(op));
  if (fields.length === 0) return undefined;
  // A missing header is set to undefined. Otherwise a body could set this field by its name.
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
