export interface CalendarTables {
  calendars: CalendarRow;
  calendar_shares: CalendarShareRow;
  calendar_objects: CalendarObjectRow;
  event_runs: EventRunRow;
  calendar_tombstones: CalendarTombstoneRow;
  calendar_imports: CalendarImportRow;
  calendar_import_parts: CalendarImportPartRow;
  calendar_links: CalendarLinkRow;
  calendar_subscriptions: CalendarSubscriptionRow;
  calendar_fetch_pace: CalendarFetchPaceRow;
}

/** A calendar of a member. */
export interface CalendarRow {
  id: string;
  owner_id: string;
  name: string;
  /** `#rrggbb` */
  color: string;
  about: string;
  /** the IANA zone of its days */
  zone: string;
  /** one calendar of a member has 1 */
  is_default: number;
  /** the key of its content, 32 bytes, sealed under the key of the node */
  content_key: Uint8Array;
  /** counts changes of its objects */
  change_seq: number;
  /** what was removed up to this change is not known any more */
  forgotten_seq: number;
  /** how many objects it has */
  objects: number;
  created_at: number;
  modified_at: number;
  /** 1: its events come from an address elsewhere, and nobody else changes them */
  subscribed: number;
}

/** What a member may do with a calendar of somebody else. */
export interface CalendarShareRow {
  id: string;
  calendar_id: string;
  granted_to: string;
  /** `editor`, `viewer` or `freebusy` */
  permission: string;
  created_at: number;
  /** null: it does not expire */
  expires_at: number | null;
}

/** All components of one UID: an event or series with the instances that were changed by themselves, or a task. */
export interface CalendarObjectRow {
  id: string;
  calendar_id: string;
  /** of the resource, for programs */
  name: string;
  /** HMAC-SHA256 of the UID under a key of the node, the first 16 bytes, hex */
  uid_key: string;
  /** such as `VEVENT` */
  component: string;
  etag: string;
  /** the change of the calendar that was its last one */
  change_seq: number;
  /** the strictest of its components */
  visibility: string;
  /** jCal (RFC 7265), sealed under the key of the calendar */
  sealed: Uint8Array;
  /** the text as a program sent it, sealed likewise; null: the node writes it */
  octets: Uint8Array | null;
  /** what counts to the storage of the owner of the calendar */
  bytes: number;
  created_by: string;
  /** version of the time zones with which its instances were computed */
  zones: string;
  /** its instances from here on are rows, in milliseconds since 1970; null: all are */
  written_from: number | null;
  /** its instances up to here are rows; null: all are */
  written_to: number | null;
  created_at: number;
  modified_at: number;
}

/**
 * When something happens: instances of one object that follow each other in equal steps, begin in one period of eight weeks, and are alike.
 * Primary key: object_id, recurrence.
 */
export interface EventRunRow {
  object_id: string;
  /** when the rule put the first one, in milliseconds since 1970; of what is all day, as if the day were in UTC. Those of the others follow likewise. */
  recurrence: number;
  calendar_id: string;
  /** the begin of the first one */
  start_at: number;
  /** the end of the last one */
  end_at: number;
  /** how long each one takes, in milliseconds */
  duration: number;
  /** milliseconds from the begin of each one to that of the next; 1 if there is one */
  step: number;
  /** how long they are: 0 to a day, 1 to 31 days, 2 longer */
  long: number;
  /** 1: the time is taken */
  opaque: number;
  status: string;
  visibility: string;
}

/** What a calendar had, for programs that keep a copy. Primary key: calendar_id, name. */
export interface CalendarTombstoneRow {
  calendar_id: string;
  name: string;
  object_id: string;
  change_seq: number;
  deleted_at: number;
}

/** A file that is read into a calendar by itself. */
export interface CalendarImportRow {
  id: string;
  calendar_id: string;
  /** who imports */
  member_id: string;
  /** `skip`, `overwrite` or `create-new` */
  mode: string;
  /** `pending`, `done` or `failed` */
  state: string;
  /** what the file has, and how much of it was read */
  total: number;
  done: number;
  /** the outcome until now, JSON, sealed under the key of the calendar */
  result: Uint8Array;
  /** what of the file counts to the storage of the owner of the calendar; 0 when it is read */
  bytes: number;
  created_at: number;
  updated_at: number;
}

/** Up to 1 MiB of the file of an import. Primary key: import_id, part. */
export interface CalendarImportPartRow {
  import_id: string;
  /** from 0 */
  part: number;
  /** sealed under the key of the calendar */
  sealed: Uint8Array;
}

/** A secret address of a calendar, at most one for each level of detail. Primary key: calendar_id, detail. */
export interface CalendarLinkRow {
  calendar_id: string;
  /** `viewer` or `freebusy` */
  detail: string;
  /** SHA-256 of the token, hex */
  token_hash: string;
  created_at: number;
  /** null: it does not expire */
  expires_at: number | null;
}

/** Where a calendar gets its events from. */
export interface CalendarSubscriptionRow {
  calendar_id: string;
  /** counts its addresses, so that what an earlier one answers is not written any more */
  address: number;
  every_ms: number;
  next_at: number;
  /** when the address answered as it should; null: never */
  fetched_at: number | null;
  /** when events differed; null: never */
  changed_at: number | null;
  /** in a row; 0: the last one was good */
  failures: number;
  /** code of the last failure; null: the last one was good */
  error: string | null;
  /** events that could not be read the last time */
  left_out: number;
  /** JSON with the address, which may be a secret, and what names its last content; sealed under the key of the calendar */
  sealed: Uint8Array;
}

/** When a member has fetched so many addresses by hand that further ones wait. */
export interface CalendarFetchPaceRow {
  member_id: string;
  until_at: number;
}
