import { davRefusal } from '../../../service/dav-matching.ts';
import { documentOf } from '../indexing.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { objectText } from '../icalendar/write.ts';
import { writtenInstances } from '../objects/instances.ts';
import { zonesOfObject } from '../objects/known-zones.ts';
import type { KnownOfObject } from '../objects/write.ts';
import { RuleError } from '../recurrence/rule-error.ts';
import { createZones, type Zones } from '../recurrence/zones.ts';
import { inForm } from './forms.ts';
import { readGivenObject } from './given-object.ts';
import type { KnowJob, ObjectPlace, ReadJob, ReadObject, WriteJob } from './object-tasks.ts';

/** @throws Problem forbidden FORBIDDEN with the condition that it does not meet */
export function readObjectWork(job: ReadJob): ReadObject {
  const { object, component, known } = readObjectWith(createZones(), job);
  // This thread has a copy of its own.
  job.space.key?.fill(0);
  return { json: JSON.stringify(object), component, known };
}

/** The same in this thread. @throws Problem forbidden FORBIDDEN as above */
export function readObjectWith(zones: Zones, { bytes, ...where }: ReadJob) {
  const { object, component } = readGivenObject(bytes, zones);
  return { object, component, known: knowObjectWith(zones, object, where) };
}

/** @throws Problem forbidden FORBIDDEN for a rule that takes too much work */
export function knowObjectWork({ json, ...where }: KnowJob): KnownOfObject {
  const known = knowObjectWith(createZones(), JSON.parse(json) as JcalComponent, where);
  where.space.key?.fill(0);
  return known;
}

/** The same in this thread. @throws Problem forbidden FORBIDDEN as above */
export function knowObjectWith(
  zones: Zones,
  object: JcalComponent,
  { place, zone, space, now }: ObjectPlace,
): KnownOfObject {
  try {
    const instances = writtenInstances(place, object, zonesOfObject(zones, zone, object), now);
    return { instances, document: documentOf({ space }, place, object) };
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw davRefusal('forbidden', 'FORBIDDEN', 'c:valid-calendar-object-resource', error.message);
  }
}

export function writeObjectWork(job: WriteJob): string {
  return writeObjectWith(createZones(), JSON.parse(job.json) as JcalComponent, job);
}

/** The same in this thread. */
export function writeObjectWith(
  zones: Zones,
  object: JcalComponent,
  { form, zone, method }: Omit<WriteJob, 'json'>,
): string {
  return objectText(inForm(object, form, { zones, zone }), zones, method === undefined ? {} : { method });
}
