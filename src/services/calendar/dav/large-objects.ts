import type { Context } from '../../../service/context.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { zonesOf } from '../objects/known-zones.ts';
import type { KnownOfObject } from '../objects/write.ts';
import { knowObjectTask, readObjectTask, writeObjectTask, type ObjectPlace, type WriteJob } from './object-tasks.ts';
import { knowObjectWith, readObjectWith, writeObjectWith } from './object-work.ts';

/** Bytes of an object that is read and written at once, in at most some 10 ms. Nearly all are shorter. */
const INLINE_BYTES = 32 * 1024;
/** The instances of a series in a longer range may be many. */
const INLINE_RANGE = 100 * 86_400_000;

interface Given {
  readonly object: JcalComponent;
  readonly component: string;
  readonly known: KnownOfObject;
}

/**
 * Reads what a program wants to store, and finds out when it happens, and by which words it is found: in a thread, if it is large.
 * @throws Problem forbidden FORBIDDEN with the condition that it does not meet; unavailable OVERLOADED
 */
export async function readObject(ctx: Context, bytes: Uint8Array, where: ObjectPlace): Promise<Given> {
  const job = { ...where, bytes };
  if (bytes.length <= INLINE_BYTES) return readObjectWith(zonesOf(ctx), job);
  const { json, ...more } = await ctx.offload.run(readObjectTask, job);
  return { ...more, object: JSON.parse(json) as JcalComponent };
}

/**
 * Finds out of an object what readObject() does.
 * @param size of the object, bytes
 * @throws Problem unavailable OVERLOADED
 */
export async function knowObject(
  ctx: Context,
  object: JcalComponent,
  where: ObjectPlace,
  size: number,
): Promise<KnownOfObject> {
  if (size <= INLINE_BYTES) return knowObjectWith(zonesOf(ctx), object, where);
  return await ctx.offload.run(knowObjectTask, { ...where, json: JSON.stringify(object) });
}

/**
 * The text of an object in a form, as readObject().
 * @param size of the object, bytes
 * @throws Problem unavailable OVERLOADED
 */
export async function writeObject(
  ctx: Context,
  object: JcalComponent,
  how: Omit<WriteJob, 'json'>,
  size: number,
): Promise<string> {
  const { expand } = how.form;
  const isShort = size <= INLINE_BYTES && (expand === undefined || expand.to - expand.from <= INLINE_RANGE);
  if (isShort) return writeObjectWith(zonesOf(ctx), object, how);
  return await ctx.offload.run(writeObjectTask, { ...how, json: JSON.stringify(object) });
}
