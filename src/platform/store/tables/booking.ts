export interface BookingTables {
  booking_pages: BookingPageRow;
  appointments: AppointmentRow;
  booking_cells: BookingCellRow;
}

/** A page on which guests book appointments with a member. */
export interface BookingPageRow {
  id: string;
  owner_id: string;
  /** its address; of a page that was deleted nobody gets it for a while */
  slug: string;
  /** 1: guests see it */
  active: number;
  /** key of what it says and of what guests say, 32 bytes, sealed under the key of the node */
  content_key: Uint8Array;
  created_at: number;
  modified_at: number;
  deleted_at: number | null;
  /** JSON of its settings, sealed under its key */
  sealed: Uint8Array;
}

/** What a guest has booked. */
export interface AppointmentRow {
  id: string;
  host_id: string;
  page_id: string;
  type_id: string;
  /** `pending`, `confirmed`, `cancelled` or `rejected` */
  status: string;
  start_at: number;
  end_at: number;
  /** with what is kept free before and after it */
  busy_from: number;
  busy_to: number;
  /** from 0 on; null: it takes no time any more */
  seat: number | null;
  /** where its event is */
  calendar_id: string;
  object_id: string;
  /** SHA-256 of the token with which its guest manages it, hex */
  token_hash: string;
  /** of a request that may come twice, hex */
  request_hash: string | null;
  /** HMAC-SHA256 of the address of the guest on this page, hex */
  guest_key: string;
  created_at: number;
  modified_at: number;
  /** JSON of what the guest said, sealed under the key of the page */
  sealed: Uint8Array;
}

/** Five minutes of a host that appointments take. Primary key: host_id, cell: two never take the same. */
export interface BookingCellRow {
  host_id: string;
  /** number of five minutes since 1970 */
  cell: number;
  /** for what: all who have a seat at one time share its cells */
  type_id: string;
  start_at: number;
}
