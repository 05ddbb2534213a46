/** Both parts use the platform of sign-in-stack.ts, which costs more to start than most of their tests. */
import './authentication.ts';
import './account.ts';
