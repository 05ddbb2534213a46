import { type ApiUserType, apiUserTypeInWords, asUserType } from '@case-platform/words/user-types';
import { Notice } from '../look/notice.tsx';
import { SIGN_IN_ROLES } from './sign-in-roles.ts';

interface Props {
  /** The role that was rejected. */
  role: ApiUserType;
  onTry: (role: ApiUserType) => void;
}

/**
 * Says with which role a sign-in failed, and offers the others with what was typed (SIGN-IN-14). It is the same whether or not
 * there is such an account.
 */
export function WrongRoleNotice({ role, onTry }: Props) {
  return (
    <Notice kind="error" title={`We couldn’t sign you in ${asUserType(role)}`}>
      <p>The email address and password don’t match this role. Check them, or try another role with what you typed:</p>
      <div className="mt-3 flex flex-wrap gap-2">
        {SIGN_IN_ROLES.filter((other) => other !== role).map((other) => (
          <button key={other} type="button" className="btn btn-sm" onClick={() => onTry(other)}>
            {apiUserTypeInWords(other)}
          </button>
        ))}
      </div>
    </Notice>
  );
}
