import {
  componentsOf,
  paramOf,
  propertiesOf,
  withProperties,
  type JcalComponent,
  type JcalProperty,
} from '../icalendar/jcal.ts';
import { personOf } from '../icalendar/fields/people.ts';
import { ownPrefix } from '../icalendar/text/lines-of-property.ts';
import { aimedAt } from '../invitations/answer.ts';
import { askedAnew } from '../itip/messages.ts';
import { instanceKey, sequenceOf } from '../itip/receive.ts';
import { attendeeOf, attendeeParties, isSame, partyOf, withEvents, withParams, type Party } from '../itip/self.ts';
import type { OpenObject } from '../objects/read.ts';
import { hasSameTimes } from './same-times.ts';

/**
 * What the organizer stores in the place of an event: the answers of others are theirs to say, and what the node notes for itself stays. Those whom a
 * change asks anew have to answer again.
 */
export function continued(
  open: OpenObject | undefined,
  given: JcalComponent,
  owner: Party,
  now: number,
): JcalComponent {
  if (open === undefined) return given;
  return withEvents(given, (event) => {
    const aimed = aimedAt(open, instanceKey(event, open.zones), now);
    const before =
      aimed && componentsOf(aimed.object, 'vevent').find((one) => instanceKey(one, open.zones) === aimed.key);
    return before === undefined ? event : eventAfter(before, event, owner, open);
  });
}

function eventAfter(before: JcalComponent, event: JcalComponent, owner: Party, open: OpenObject): JcalComponent {
  const [name, properties, components] = event;
  const notes = before[1].filter(([one]) => one.startsWith(ownPrefix));
  const kept: JcalComponent = [
    name,
    [...properties.map((one) => (one[0] === 'attendee' ? withAnswer(one, before, owner) : one)), ...notes],
    components,
  ];
  const [was, is] = [sequenceOf(before), sequenceOf(event)];
  if (isSignificant(before, event, open)) return askedAnew(withSequence(kept, Math.max(is, was + 1)));
  return withSequence(kept, Math.max(is, invitesOthers(before, event) ? was + 1 : was));
}

/** When or whether it happens, or where. */
function isSignificant(before: JcalComponent, after: JcalComponent, open: OpenObject): boolean {
  const said = (event: JcalComponent): string =>
    JSON.stringify(['status', 'location'].map((name) => propertiesOf(event, name).map(([, , , value]) => value)));
  return !hasSameTimes(before, after, open) || said(before) !== said(after);
}

function invitesOthers(before: JcalComponent, after: JcalComponent): boolean {
  const [some, others] = [attendeeParties(before), attendeeParties(after)];
  return some.length !== others.length || some.some((one) => !others.some((other) => isSame(one, other)));
}

function withSequence(event: JcalComponent, sequence: number): JcalComponent {
  if (sequence === sequenceOf(event)) return event;
  return withProperties(event, ['sequence'], [['sequence', {}, 'integer', sequence]]);
}

const answerParams: ReadonlySet<string> = new Set(['x-response-comment', 'x-calendarserver-dtstamp']);

function withAnswer(property: JcalProperty, before: JcalComponent, owner: Party): JcalProperty {
  const party = partyOf(personOf(property));
  const was = attendeeOf(before, party);
  if (was === undefined) return property;
  const isTheirs = !isSame(party, owner);
  const kept = Object.fromEntries(
    Object.entries(was[1]).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && (entry[0].startsWith(ownPrefix) || (isTheirs && answerParams.has(entry[0]))),
    ),
  );
  const [said, says] = [was, property].map((one) => paramOf(one, 'partstat')?.toUpperCase() ?? 'NEEDS-ACTION');
  // Whoever has answered is not asked again by a program that has an older state, or that asks each time.
  const hasAnswered = isTheirs && said !== undefined && said !== 'NEEDS-ACTION';
  return withParams(property, {
    ...kept,
    ...(isTheirs && said !== says && { partstat: said }),
    ...(hasAnswered && { rsvp: paramOf(was, 'rsvp') }),
  });
}
