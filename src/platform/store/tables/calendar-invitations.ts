export interface CalendarInvitationTables {
  calendar_invitations: CalendarInvitationRow;
  calendar_proposals: CalendarProposalRow;
  calendar_outgoing: CalendarOutgoingRow;
  calendar_inviting: CalendarInvitingRow;
  calendar_reminders: CalendarReminderRow;
}

/** What a member knows of an event of somebody else to which they are invited. Unique: member_id, uid_key, organizer_key. */
export interface CalendarInvitationRow {
  id: string;
  member_id: string;
  /** as of `calendar_objects` */
  uid_key: string;
  /** SHA-256 of who organizes it, the first 16 bytes, hex */
  organizer_key: string;
  /** the copy in a calendar of the member; null: it waits, or there is none any more */
  object_id: string | null;
  /** `pending`, `accepted`, `tentative`, `declined` or `cancelled` */
  status: string;
  /** versions of messages, JSON */
  known: string;
  /** jCal of an event that waits, sealed under the key of the node; null: it does not wait */
  sealed: Uint8Array | null;
  created_at: number;
  updated_at: number;
}

/** Another time that an attendee proposes, or an answer of somebody who was not invited. */
export interface CalendarProposalRow {
  id: string;
  /** `counter` or `reply` */
  kind: string;
  /** the member of this node whose event it is about; null: the organizer is elsewhere */
  organizer_id: string | null;
  /** the member of this node who proposes it; null: the attendee is elsewhere */
  attendee_id: string | null;
  /** the event in a calendar of the organizer, or the copy of the attendee if the organizer is elsewhere */
  object_id: string;
  /** who proposes it, as `organizer_key` */
  party_key: string;
  /** `pending`, `accepted` or `declined` */
  status: string;
  sequence: number;
  /** DTSTAMP, in milliseconds since 1970 */
  stamp: number;
  /** what it says, JSON, sealed under the key of the node */
  sealed: Uint8Array;
  created_at: number;
}

/** A message about an event that waits to be mailed to those who are not members of this node. */
export interface CalendarOutgoingRow {
  id: string;
  /** from whose mailbox it goes */
  member_id: string;
  uid_key: string;
  /** `REQUEST`, `CANCEL`, `REPLY`, `COUNTER`, `DECLINECOUNTER` or `REFRESH` */
  method: string;
  /** mail addresses, JSON */
  recipients: string;
  /** jCal, sealed under the key of the node */
  sealed: Uint8Array;
  due_at: number;
}

/** How many a member has invited since a moment. */
export interface CalendarInvitingRow {
  member_id: string;
  since: number;
  count: number;
}

/** A reminder that is to come. Primary key: object_id, recurrence, alarm, member_id. */
export interface CalendarReminderRow {
  object_id: string;
  /** of the instance, as of `event_runs` */
  recurrence: number;
  /** what the alarm says, shortened; empty: here the next ones are to be written */
  alarm: string;
  member_id: string;
  /** `DISPLAY`, `AUDIO` or `EMAIL` */
  action: string;
  due_at: number;
  start_at: number;
}
