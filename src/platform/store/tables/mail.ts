export interface MailTables {
  mail_contents: MailContentRow;
  mail_member_keys: MailMemberKeyRow;
  mail_content_keys: MailContentKeyRow;
  mail_parts: MailPartRow;
  mail_boxes: MailBoxRow;
  mail_mailboxes: MailMailboxRow;
  mail_items: MailItemRow;
  mail_item_labels: MailItemLabelRow;
  mail_removed: MailRemovedRow;
  mail_thread_ids: MailThreadIdRow;
  mail_deliveries: MailDeliveryRow;
  mail_offers: MailOfferRow;
  mail_arrivals: MailArrivalRow;
  mail_uploads: MailUploadRow;
  mail_rules: MailRuleRow;
  mail_relayed: MailRelayedRow;
}

/** The octets of a message, encrypted. Several members of the node may have it, and a delivery to another node. */
export interface MailContentRow {
  id: string;
  /** the key of the content, under a key of the node */
  node_key: Uint8Array;
  /** JSON under the key of the content, see services/mail/storage/layout.ts */
  sealed_layout: Uint8Array;
  /** octets of the message */
  size: number;
  created_at: number;
}

/** A mail key of a member: it opens the keys of contents. Primary key: member_id, number. */
export interface MailMemberKeyRow {
  member_id: string;
  /** from 1; the highest one is in use */
  number: number;
  /** ECIES to the public key of the member */
  for_member: Uint8Array;
  /** under a key of the node */
  for_node: Uint8Array;
  created_at: number;
}

/** The key of a content for a member who has the message. Primary key: content_id, member_id. */
export interface MailContentKeyRow {
  content_id: string;
  member_id: string;
  /** of the mail key that it is under */
  key_number: number;
  wrapped: Uint8Array;
}

/** A block of a content. Part 0 is what stands between the segments; the others are segments. Primary key: content_id, part, piece. */
export interface MailPartRow {
  content_id: string;
  part: number;
  /** a large part has several blocks */
  piece: number;
  /** SHA3-512 of the ciphertext, hex */
  hash: string;
  /** null: the ciphertext is in `sealed` */
  block_id: string | null;
  sealed: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
}

/** Counts the changes of a member's mail. */
export interface MailBoxRow {
  member_id: string;
  modseq: number;
}

/** A folder or a label. Primary key: member_id, name. */
export interface MailMailboxRow {
  member_id: string;
  name: string;
  kind: 'folder' | 'label';
  /** compared without case */
  name_key: string;
  uid_validity: number;
  uid_next: number;
  created_at: number;
}

/** A member's copy of a message. */
export interface MailItemRow {
  id: string;
  member_id: string;
  content_id: string;
  /** without angle brackets */
  message_id: string;
  thread_id: string;
  folder: string;
  /** number in the folder */
  uid: number;
  /** number of the last change */
  modseq: number;
  seen: number;
  flagged: number;
  /** JSON array of the other keywords */
  keywords: string;
  has_attachments: number;
  /** address of the sender, in lower case */
  from_key: string;
  subject: string;
  /** the subject as lists sort it */
  subject_key: string;
  /** the whole subject, with folded spellings; lists look for parts of it */
  subject_folded: string;
  /** when it was sent, as it says itself; at the latest when it was received */
  dated_at: number;
  received_at: number;
  size: number;
  /** JSON under a key of the node: see services/mail/boxes/summary.ts */
  sealed: Uint8Array;
  /** node and message there, or the sending of this node, by which it came, so that it comes once; null for what the member wrote or imported */
  origin: string | null;
}

/** Primary key: member_id, name, uid. */
export interface MailItemLabelRow extends Pick<MailItemRow, ListedColumn> {
  member_id: string;
  /** of the label */
  name: string;
  uid: number;
  item_id: string;
}

/** What labels repeat of their messages, so that lists of a label read the label alone. */
export type ListedColumn =
  | 'folder'
  | 'seen'
  | 'flagged'
  | 'has_attachments'
  | 'from_key'
  | 'subject_key'
  | 'dated_at'
  | 'size';

/** What programs that keep a copy have to remove. Primary key: member_id, modseq, item_id. */
export interface MailRemovedRow {
  member_id: string;
  modseq: number;
  item_id: string;
  removed_at: number;
}

/** The thread of each Message-ID that a member's messages have or refer to. Primary key: member_id, message_id. */
export interface MailThreadIdRow {
  member_id: string;
  message_id: string;
  thread_id: string;
}

export type MailDeliveryStatus = 'PENDING' | 'IN_TRANSIT' | 'DELIVERED' | 'RELAYED' | 'FAILED';

/** One recipient of a sent message. */
export interface MailDeliveryRow {
  id: string;
  sender_id: string;
  /** the sender's copy, also after it was deleted */
  item_id: string;
  message_id: string;
  content_id: string;
  /** place among the recipients */
  number: number;
  kind: 'to' | 'cc' | 'bcc';
  address: string;
  domain: string;
  status: MailDeliveryStatus;
  /** the node that it is routed to; null: this node, or none */
  node_id: string | null;
  /** the offer that carries it; null before it is routed */
  offer_id: string | null;
  code: string | null;
  reason: string | null;
  /** 0: its sender is not told when it fails, or was told; 1: is told when it fails; 2: has to be told */
  notice: number;
  /** when it is to be sent */
  send_at: number;
  expires_at: number;
  updated_at: number;
  /** 1: the calendar sends it, so it may go over the mail relay where no node serves the domain */
  relay: number;
}

/** How much went over the mail relay within a day. Primary key: id, which is `all`. */
export interface MailRelayedRow {
  id: string;
  since: number;
  count: number;
}

/** A message of the outbox that carries a content to another node, for one or more recipients, as long as its outcome is unknown. */
export interface MailOfferRow {
  id: string;
  node_id: string;
  content_id: string;
  created_at: number;
}

/** What another node offered. Primary key: node_id, offer_id. */
export interface MailArrivalRow {
  node_id: string;
  offer_id: string;
  /** JSON; empty once it is done */
  offer: string;
  /** JSON of the outcomes; null while it waits */
  outcome: string | null;
  expires_at: number;
  created_at: number;
}

/** An attachment that waits to be sent. The content has the same id. */
export interface MailUploadRow {
  id: string;
  member_id: string;
  size: number;
  expires_at: number;
}

/** The rules of a member. */
export interface MailRuleRow {
  id: string;
  member_id: string;
  place: number;
  /** JSON, under a key of the node */
  sealed: Uint8Array;
}
