import { splitLinks } from '@case-platform/words/messages/links';

/** Plain text with its web addresses as links. No part of a message is ever rendered as HTML (MESSAGE-9). */
export function MessageText({ text }: { text: string }) {
  return splitLinks(text).map(({ text: words, href }, index) =>
    href === null ? (
      words
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are their positions.
      <a key={index} className="link" href={href} target="_blank" rel="noreferrer noopener">
        {words}
      </a>
    ),
  );
}
