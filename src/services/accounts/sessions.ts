export { endSession, listSessions, logout } from './sessions/open-sessions.ts';
export { refreshToken } from './sessions/refresh.ts';
export { verify } from './user.ts';
