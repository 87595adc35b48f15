/** Column names that the importers of Chromium and Firefox accept; the first one present is used. */
export const URL_COLUMNS = ['url', 'website', 'origin', 'hostname', 'login_uri'];
export const USER_COLUMNS = ['username', 'user', 'login', 'account', 'login_username'];
export const PASSWORD_COLUMNS = ['password', 'login_password'];
export const NOTE_COLUMNS = ['note', 'notes', 'comment', 'comments'];
