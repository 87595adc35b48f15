/**
 * SQL: whether the reader $1 is a member of a hub of a post, whose alias is given. Posts in hubs have no other readers but their author.
 * A ban and the deletion of a hub end memberships in their own transaction, so whoever is a member may read.
 *
 * It is a value and no `exists`, because PostgreSQL would turn that into a table of all posts in the reader's hubs.
 */
export function inHubOf(post: string): string {
  return `(select 1 from social_post_hubs ${post}_h
    join room_members ${post}_r on ${post}_r.kind = 'hub' and ${post}_r.room_id = ${post}_h.hub_id
    where ${post}_h.post_id = ${post}.id and ${post}_r.member_id = $1 limit 1) = 1`;
}
