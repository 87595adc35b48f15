/** The last line, and that of notifications; they fit into 80 columns. */
export const socialHelp = 'enter:thread l:like b:repost r:reply c:post x:unfold 1-4:go to ?:all keys q:back';
export const noticeHelp = 'enter:open a:mark all as read 1-4:go to ?:all keys q:back';

export const socialKeys = [
  ['j, k, arrows', 'next and previous post, or part of a long one'],
  ['space, n, p', 'down and up by a page; g and G go to the first and the last'],
  ['1, 2, 3, 4', 'home, everybody on this node, one of your hubs, notifications'],
  ['enter', 'the thread of the post; what a notification is about'],
  ['x', 'show what a warning, a filter or "sensitive" hides, or hide it again'],
  ['l', 'like; again takes it back'],
  ['b', 'repost; again takes it back'],
  ['r, Q', 'reply to the post, or quote it'],
  ['c', 'write a post; in a hub, for its members'],
  ['+, -', 'vote for the post, or against it; again takes it back'],
  ['m', 'bookmark; again removes it'],
  ['d', 'delete your own post'],
  ['u', 'the posts of its author'],
  ['/', 'search'],
  ['a', 'mark all notifications as read'],
  ['.', 'look again'],
  ['q, esc', 'back; q in the first list quits'],
  ['ctrl-c', 'quit'],
] as const;
