/**
 * SQL: whether the reader $1 is a member of a hub of a post, whose alias is given. Posts in hubs have no other readers but their author.
 */
export function inHubOf(_post: string): string {
  return '1 = 0';
}
