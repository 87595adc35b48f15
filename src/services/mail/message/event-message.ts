/** The kind of the jobs that read what messages say of events. The calendar has their handler. */
export const eventMessageKind = 'calendar-message';

/** A message in the mailbox of a member that has a part of iCalendar. */
export interface EventMessage {
  readonly itemId: string;
  readonly memberId: string;
}
