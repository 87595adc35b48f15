import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pageLimits } from '../page/limits.ts';
import { integer, line, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { event, eventId } from './event.ts';
import { calendarRoot, eventTime, zoneName } from './fields.ts';
import { calendarLimits, invitationStatuses, modificationModes, partstats, proposalStatuses } from './limits.ts';

const root = `${calendarRoot}/invitations`;
const common = { envelope: 'calendar', auth: 'member', scope: 'calendar' } as const;

const answers = {
  ACCEPT: 'ACCEPTED',
  DECLINE: 'DECLINED',
  TENTATIVE: 'TENTATIVE',
  MAYBE: 'TENTATIVE',
  YES: 'ACCEPTED',
  NO: 'DECLINED',
} as const;
export type GivenAnswer = (typeof answers)[keyof typeof answers];

const answer = v.pipe(
  line(20),
  v.check(
    (text) => /^(?:accept(?:ed)?|declined?|tentative|maybe|yes|no)$/i.test(text),
    'must be ACCEPTED, TENTATIVE or DECLINED',
  ),
  v.metadata({ pattern: '^[A-Za-z]+$' }),
  v.examples(['ACCEPTED']),
  v.description('`ACCEPTED`, `TENTATIVE` or `DECLINED`, in any case; `accept`, `maybe` and `decline` are the same'),
  v.transform((text): GivenAnswer => {
    const name = text.toUpperCase().replace(/^(ACCEPT|DECLINE)E?D$/, '$1');
    return answers[name as keyof typeof answers];
  }),
);

const comment = v.optional(paragraph(calendarLimits.comment));
const ofInstance = v.optional(
  v.pipe(eventTime, v.description('the time at which the rule put the instance; default: the whole event')),
);
const aboutEvent = v.pipe(eventId, v.description('of the event, an instance of it, or an invitation that waits'));

const person = v.object({
  userId: v.optional(memberId),
  email: v.optional(v.string()),
  displayName: v.optional(v.string()),
});

const proposal = v.object({
  id: recordId,
  eventId: v.string(),
  attendee: person,
  proposedStart: v.string(),
  proposedEnd: v.string(),
  proposedTzid: v.optional(v.string()),
  recurrenceId: v.optional(v.string()),
  comment: v.optional(v.string()),
  status: v.picklist(proposalStatuses),
  createdAt: timestamp,
});
export type Proposal = v.InferOutput<typeof proposal>;

const invitation = v.object({
  id: recordId,
  eventId: v.pipe(
    v.string(),
    v.description('of the event in your calendar; of one that waits, the id of the invitation'),
  ),
  status: v.picklist(invitationStatuses),
  waits: v.pipe(v.boolean(), v.description('it is in no calendar of yours before you accept it')),
  organizer: person,
  uid: v.string(),
  summary: v.string(),
  description: v.string(),
  location: v.string(),
  allDay: v.boolean(),
  dtstart: v.string(),
  dtstartTzid: v.optional(v.string()),
  dtend: v.string(),
  start: timestamp,
  end: timestamp,
  recurrence: v.optional(v.array(v.string())),
  attendeeCount: v.number(),
  receivedAt: timestamp,
});
export type Invitation = v.InferOutput<typeof invitation>;

const stranger = v.object({
  id: recordId,
  eventId: v.string(),
  attendee: person,
  response: v.picklist(partstats),
  comment: v.optional(v.string()),
  createdAt: timestamp,
});

const byProposal = { eventId: aboutEvent, counterProposalId: recordId };

/** Invitations to events (iTIP, RFC 5546), prefix `/api/cal/invitations`. */
export const invitations = {
  listInvitations: operation({
    ...common,
    id: 'calendar.invitations',
    method: 'GET',
    path: root,
    summary: 'List invitations',
    description:
      'The latest first. Those of strangers wait here until they are accepted. On the first page also other times that attendees propose, and answers of people whom you did not invite.',
    input: v.object({
      status: v.optional(
        v.pipe(
          v.picklist([...invitationStatuses, 'all'], `must be one of ${invitationStatuses.join(', ')}, all`),
          v.description('`all`: of any status'),
        ),
        'pending',
      ),
      limit: v.optional(v.pipe(integer(1, 100), v.description('largest number of items on a page')), 50),
      cursor: v.optional(
        v.pipe(
          line(pageLimits.cursor),
          v.description('from the previous page; valid only for this list with these filters'),
        ),
      ),
    }),
    reply: v.object({
      invitations: v.array(invitation),
      proposals: v.array(proposal),
      unexpectedReplies: v.array(stranger),
      nextCursor: v.optional(v.pipe(v.string(), v.description('cursor of the next page; missing on the last one'))),
    }),
    status: 200,
    message: 'Invitations',
    errors: ['INVALID_CURSOR'],
  }),
  rsvp: operation({
    ...common,
    id: 'calendar.rsvp',
    method: 'POST',
    path: `${root}/rsvp`,
    summary: 'Answer an invitation',
    description:
      'For who is invited. The organizer hears of it. An invitation that waits comes into the default calendar if it is not declined.',
    input: v.object({
      eventId: aboutEvent,
      response: v.optional(answer),
      partstat: v.optional(v.pipe(answer, v.description('the same as `response`'))),
      comment,
      recurrenceId: ofInstance,
      modificationMode: v.optional(v.picklist(modificationModes, 'must be single or all')),
      sequence: v.optional(
        v.pipe(
          integer(0, Number.MAX_SAFE_INTEGER),
          v.description('that the event must have, or the answer is refused'),
        ),
      ),
    }),
    reply: v.object({ success: v.literal(true), event: v.optional(event) }),
    status: 200,
    message: 'Answered',
    errors: ['NOT_FOUND', 'CONFLICT', 'SEQUENCE_CONFLICT', 'EVENT_CANCELLED', 'STORAGE_QUOTA_EXCEEDED', 'EVENTS_FULL'],
    limit: { name: 'calendarInviting' },
  }),
  counter: operation({
    ...common,
    id: 'calendar.counter',
    method: 'POST',
    path: `${root}/counter`,
    summary: 'Propose another time to the organizer',
    description: 'For who is invited. A second proposal for the same event replaces the first one.',
    input: v.object({
      eventId: aboutEvent,
      proposedStart: eventTime,
      proposedEnd: eventTime,
      proposedTzid: v.optional(v.pipe(zoneName, v.description('default: the zone of the event'))),
      comment,
      recurrenceId: ofInstance,
    }),
    reply: v.object({ success: v.literal(true), counterProposalId: recordId, proposal }),
    status: 201,
    message: 'Time proposed',
    errors: ['NOT_FOUND', 'EVENT_CANCELLED'],
    limit: { name: 'calendarInviting' },
  }),
  declineCounter: operation({
    ...common,
    id: 'calendar.decline-counter',
    method: 'POST',
    path: `${root}/decline-counter`,
    summary: 'Decline a time that an attendee proposes',
    description: 'For the organizer. Whoever proposed it hears of it.',
    input: v.object({ ...byProposal, comment }),
    reply: v.object({ success: v.literal(true), proposal }),
    status: 200,
    message: 'Proposal declined',
    errors: ['NOT_FOUND', 'ALREADY_DECIDED'],
    limit: { name: 'calendarInviting' },
  }),
  acceptCounter: operation({
    ...common,
    id: 'calendar.accept-counter',
    method: 'POST',
    path: `${root}/accept-counter`,
    summary: 'Move an event to a time that an attendee proposes',
    description: 'For the organizer. All attendees are asked anew.',
    input: v.object(byProposal),
    reply: v.object({ success: v.literal(true), proposal, event }),
    status: 200,
    message: 'Event moved',
    errors: ['NOT_FOUND', 'ALREADY_DECIDED', 'STORAGE_QUOTA_EXCEEDED', 'EVENTS_FULL', 'CONFLICT'],
    limit: { name: 'calendarInviting' },
  }),
};
