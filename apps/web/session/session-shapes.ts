import type { UserType } from '@case-platform/words/user-types';

/** The parts of a person's set-up that are still missing (ACCOUNT-1). */
interface SetupStatus {
  is_fully_setup: boolean;
  missing_fields: string[];
}

/** What the encrypted session cookie holds. Only the server ever sees it. */
export interface SessionToken {
  /** The user's id in the API. */
  sub: string;
  name: string;
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch, from the API's `expires_at`. */
  accessTokenExpires: number;
  refreshAt: number;
  userType: UserType;
  setup_status: SetupStatus;
  /** Names this sign-in, so that signing out can refuse responses that are still under way. */
  sid: string;
  tokenError?: 'RefreshFailed';
}

/** What the browser may know of it: never a token. */
export interface BrowserSession {
  userType: UserType;
  setup_status: SetupStatus;
  tokenError?: 'RefreshFailed';
  expires: string;
  user: { name: string };
}

/** The signed-in person as pages and components know them. */
export interface Me {
  id: number;
  name: string;
  userType: UserType;
}
