import type { ArchiveState } from '../../../contract/social/archive.ts';
import type { FilterAction } from '../../../contract/social/filters.ts';
import type { ImportMode, ImportState, Portable } from '../../../contract/social/transfer.ts';
import type { ListKind } from '../../../contract/social/lists.ts';

/** What members keep for themselves in the social network. Nobody else reads these rows. */
export interface SocialOwnTables {
  social_lists: SocialListRow;
  social_list_members: SocialListMemberRow;
  social_bookmarks: SocialBookmarkRow;
  social_filters: SocialFilterRow;
  social_imports: SocialImportRow;
  social_archives: SocialArchiveRow;
  social_archive_blocks: SocialArchiveBlockRow;
}

export interface SocialListRow {
  id: string;
  owner_id: string;
  kind: ListKind;
  name: string;
  /** folded; unique among those of an owner and a kind */
  name_key: string;
  created_at: number;
  updated_at: number;
}

/** Primary key: list_id, member_id. */
export interface SocialListMemberRow {
  list_id: string;
  member_id: string;
  created_at: number;
}

export interface SocialBookmarkRow {
  /** sorts by the time of the bookmark */
  id: string;
  member_id: string;
  post_id: string;
}

export interface SocialFilterRow {
  id: string;
  member_id: string;
  phrase: string;
  whole_word: number;
  action: FilterAction;
  /** JSON array of contexts */
  contexts: string;
  /** null: no end */
  expires_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A member has one. The next one replaces it. */
export interface SocialImportRow {
  id: string;
  /** unique */
  member_id: string;
  what: Portable;
  mode: ImportMode;
  state: ImportState;
  /** JSON: number and text of each line; `[]` at the end */
  lines: string;
  total: number;
  done: number;
  imported: number;
  requested: number;
  present: number;
  /** what a file that overwrites does not have */
  removed: number;
  /** all of them, also those that the report leaves out */
  refused: number;
  /** JSON: line, text and code of the first refused ones */
  report: string;
  created_at: number;
  updated_at: number;
}

/** A member has one. */
export interface SocialArchiveRow {
  id: string;
  /** unique */
  member_id: string;
  state: ArchiveState;
  /** things that are written */
  done: number;
  /** things to write; 0 before they are counted */
  total: number;
  /** key of the content, sealed by the node; null until it is ready */
  sealed_key: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
  created_at: number;
  finished_at: number | null;
  expires_at: number | null;
}

/** Primary key: archive_id, piece. */
export interface SocialArchiveBlockRow {
  archive_id: string;
  piece: number;
  hash: string;
  /** null: it is in the row */
  block_id: string | null;
  sealed: Uint8Array | null;
  /** bytes of the plaintext */
  size: number;
}
