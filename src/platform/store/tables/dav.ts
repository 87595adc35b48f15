export interface DavTables {
  dav_collections: DavCollectionRow;
}

/** What programs chose for a calendar or an address book. Most have no row: their segment is their id. */
export interface DavCollectionRow {
  collection_id: string;
  owner_id: string;
  kind: string;
  /** the segment of its path; empty: its id */
  segment: string;
  /** kinds of components that a calendar takes, with commas; empty: all that programs know */
  components: string;
  /** among others */
  position: number | null;
}
