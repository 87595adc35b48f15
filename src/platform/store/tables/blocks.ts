export interface BlockTables {
  block_folder: BlockFolderRow;
  block_processes: BlockProcessRow;
}

/** The one row names the folder of blocks of the store; see blocks/folder-id.ts. */
export interface BlockFolderRow {
  /** 32 hexadecimal digits, which a file in the folder has too */
  id: string;
}

/** A process that serves the store now, or ended without a word. */
export interface BlockProcessRow {
  id: string;
  /** what it wrote into a file of its own in the folder */
  nonce: string;
  /** when it was here last */
  seen_at: number;
}
