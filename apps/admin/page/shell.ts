import { type Html, html, joinHtml } from '@case-platform/lib/html';
import type { Permission } from '@case-platform/modules/accounts';
import { displayName } from '@case-platform/modules/accounts';
import { userTypeInWords } from '@case-platform/words/user-types';
import type { AssetName } from '../assets/assets.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { CSRF_FIELD } from '../guards/own-requests.ts';
import type { Actor } from '../guards/visitors.ts';
import { htmlDocument } from './document.ts';
import type { Frame } from './frame.ts';
import { brandLine, type IconName, icon } from './icons.ts';
import { avatar, personLine } from './person.ts';
import { unreadBadge } from './unread-badge.ts';

interface Place {
  href: string;
  words: string;
  mark: IconName;
  /** Shown to those who have this permission, or any of these; undefined: to every admin. */
  needs?: Permission | readonly Permission[];
}

/** The links of the navigation. More people may read a page than are shown its link. */
const STAFF_PLACES: readonly Place[] = [
  { href: '/', words: 'Dashboard', mark: 'layout-dashboard' },
  { href: '/messages', words: 'Messages', mark: 'messages-square', needs: 'view_messages' },
  { href: '/cases', words: 'Cases', mark: 'briefcase-medical', needs: 'view_case_details' },
  { href: '/disbursements', words: 'Requests', mark: 'hand-coins', needs: 'view_drs' },
  { href: '/batches', words: 'Batches', mark: 'landmark', needs: BATCH_WORKERS },
  { href: '/payments', words: 'Payments', mark: 'calendar-clock', needs: [...BATCH_WORKERS, 'view_drs'] },
  { href: '/users', words: 'People', mark: 'users', needs: 'view_users' },
  { href: '/agencies', words: 'Agencies', mark: 'building-2', needs: 'view_agencies' },
  { href: '/roles', words: 'Roles', mark: 'shield-check', needs: 'manage_roles' },
  { href: '/access', words: 'Access', mark: 'eye', needs: 'manage_roles' },
  { href: '/audit', words: 'Audit log', mark: 'file-text', needs: 'view_audit_log' },
  { href: '/deliveries', words: 'Deliveries', mark: 'mail-check', needs: 'view_deliveries' },
];
/** A phone's bar has room for these, and for a button that opens the others. */
const PHONE_PLACES = 4;
const HOME: readonly Place[] = [{ href: '/', words: 'Home', mark: 'house' }];

interface Page {
  title: string;
  /** Markup of the main part. */
  content: Html;
  /** Without padding, for pages that use the whole window. */
  flush?: boolean;
  /** The scripts that this page needs in addition to those of every page. */
  scripts?: readonly AssetName[];
  /** The path of a file whose download starts when the page opens. */
  download?: string | undefined;
}

/** A page inside the frame: a sidebar on a desktop, a bottom bar on a phone. */
export function shellPage(frame: Frame, { title, content, flush = false, scripts = [], download }: Page): Html {
  const name = displayName(frame.actor.user);
  const role = roleOf(frame.actor);
  const staff = frame.actor.admin !== null;
  const brand = html`<a class="shell-brand" href="/">${brandLine()}</a>`;
  const isLive = frame.actor.admin?.can('view_messages') ?? false;
  const body = html`<a class="skip-link" href="#main">Skip to content</a>
    <div class="shell" ${isLive ? html`data-live-events="/messages/events"` : ''}>
      <header class="shell-top">
        ${brand}
        <button type="button" class="person" popovertarget="me">
          <span class="person-role">${role}</span>
          ${avatar(name, { staff, small: true })}
          <span class="sr-only">${name}, your menu</span>
        </button>
        <div class="me-menu" id="me" popover>${personLine(name, role, { staff })}${meControls(frame)}</div>
      </header>
      <aside class="shell-side">
        ${brand}
        <nav class="shell-nav" aria-label="Main">${places(frame)}</nav>
        <div class="shell-me">${personLine(name, role, { staff })}${meControls(frame)}</div>
      </aside>
      <main class="shell-main ${flush ? 'is-flush' : ''}" id="main">${content}</main>
    </div>`;
  return htmlDocument({ title, preferences: frame.preferences, body, scripts: ['live.js', ...scripts], download });
}

/** How the frame describes someone: an admin's role, for others their user type. */
export function roleOf({ user, admin }: Actor): string {
  return admin?.role_name ?? userTypeInWords(user.user_type);
}

/** The hidden field that every form has. It comes first, so that it is checked before any files arrive. */
export function csrfField({ actor }: Pick<Frame, 'actor'>): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${actor.session.csrf_token}">`;
}

function places(frame: Frame): Html {
  const { admin } = frame.actor;
  const mayOpen = ({ needs }: Place) => needs === undefined || [needs].flat().some((one) => admin?.can(one));
  const shown = admin === null ? HOME : STAFF_PLACES.filter(mayOpen);
  const isHere = ({ href }: Place) => (href === '/' ? frame.path === '/' : `${frame.path}/`.startsWith(`${href}/`));
  const link = (place: Place, look: string) => {
    const badge = place.href === '/messages' ? unreadBadge(frame.unread) : '';
    const current = isHere(place) ? html`aria-current="page"` : '';
    return html`<a class="${look}" href="${place.href}" ${current}>${icon(place.mark)}<span>${place.words}</span>${badge}</a>`;
  };
  const links = shown.map((place, at) => link(place, at < PHONE_PLACES ? 'shell-link' : 'shell-link is-desk-only'));
  const rest = shown.slice(PHONE_PLACES);
  if (rest.length === 0) return joinHtml(links, '\n');
  const current = rest.some(isHere) ? html`aria-current="page"` : '';
  return html`${links}
    <button type="button" class="shell-link shell-more" popovertarget="more-places" ${current}>
      ${icon('ellipsis')}
      <span>More</span>
    </button>
    <div class="more-places" id="more-places" popover>${rest.map((place) => link(place, 'more-place'))}</div>`;
}

const THEMES = [
  { value: 'light', words: 'Light', mark: 'sun' },
  { value: 'dark', words: 'Dark', mark: 'moon' },
  { value: '', words: 'Match system', mark: 'monitor' },
] as const;

/** The theme, the account and signing out: in the sidebar on a desktop, in a menu on a phone. */
function meControls(frame: Frame): Html {
  const theme = frame.preferences.theme ?? '';
  const isAccount = `${frame.path}/`.startsWith('/account/');
  const themes = THEMES.map(({ value, words, mark }) => {
    const pressed = value === theme;
    return html`<button
      type="button"
      data-theme-choice="${value}"
      aria-pressed="${String(pressed)}"
      title="${words}"
      aria-label="Colors: ${words}"
    >
      ${icon(mark)}
    </button>`;
  });
  return html`<div class="me-controls">
    <div class="theme-switch" role="group" aria-label="Colors">${themes}</div>
    <a class="btn btn-ghost btn-sm" href="/account" ${isAccount ? html`aria-current="page"` : ''}>${icon('user-round')}Account</a>
    <form method="post" action="/logout">
      ${csrfField(frame)}
      <button class="btn btn-ghost btn-sm" type="submit">${icon('log-out')}Sign out</button>
    </form>
  </div>`;
}
