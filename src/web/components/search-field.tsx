import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Icon } from './icons.tsx';

const typingMs = 300;

interface SearchFieldProps {
  value: string;
  onChange: (text: string) => void;
  placeholder: string;
  className?: string;
  /** The name of the field where its placeholder is enough for sighted users; default: a label “Search”. */
  label?: string;
  /** The label of a second field, e.g. “Person”; `/` does not focus it. */
  filters?: string;
}

/**
 * The search of a list. It applies after a pause in typing; `/` focuses it, Esc clears it.
 *
 * @param value the applied search; it may also change from outside, e.g. by going back.
 */
export function SearchField({ value, onChange, placeholder, className = '', label, filters }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The URL changed from outside: Back, a link, or Clear.
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onChange(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <TextInput
      className={className}
      type="search"
      {...(label === undefined ? { label: filters ?? 'Search' } : { 'aria-label': label })}
      placeholder={placeholder}
      leftSection={<Icon name={filters === undefined ? 'search' : 'user'} size={16} />}
      data-search={filters === undefined || undefined}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && setText('')}
    />
  );
}
