/** The kind of the jobs that erase what is left of the keys of deleted rooms. */
export const eraseRoomKeysKind = 'erase-room-keys';
