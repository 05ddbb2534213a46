import { initials } from '@case-platform/words/names';
import { Headset } from 'lucide-react';

interface Props {
  name: string;
  /** The role in words, or another short note. */
  note: string;
  staff?: boolean;
  small?: boolean;
}

export function PersonLine({ name, note, staff = false, small = false }: Props) {
  return (
    <span className="person">
      <Avatar name={name} staff={staff} small={small} />
      <span>
        <span className="person-name">{name}</span>
        <span className="person-role">{note}</span>
      </span>
    </span>
  );
}

/** A person's initials, or the mark of the escrow team for an empty name. Hidden from screen readers: the name is beside it. */
export function Avatar({ name, staff = false, small = false }: Omit<Props, 'note'>) {
  return (
    <span className={`avatar-mark ${staff ? 'is-staff' : ''} ${small ? 'is-small' : ''}`} aria-hidden="true">
      {name === '' ? <Headset /> : initials(name)}
    </span>
  );
}
