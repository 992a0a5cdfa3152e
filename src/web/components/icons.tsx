/** Drawn on a 20-pixel square with a line width of 1.5; color and size come from the surrounding text. */
const shapes = {
  overview: 'M3.5 9.2 10 3.8l6.5 5.4V16a.8.8 0 0 1-.8.8H4.3a.8.8 0 0 1-.8-.8ZM8 16.8v-4.6h4v4.6',
  invoices: 'M5 2.8h10v14.4l-2.5-1.5L10 17.2l-2.5-1.5L5 17.2ZM7.8 6.8h4.4M7.8 10h4.4',
  orders: 'M3.5 6.5h13v9.2a.8.8 0 0 1-.8.8H4.3a.8.8 0 0 1-.8-.8ZM3.5 6.5 5.4 3.5h9.2l1.9 3M8 9.8h4',
  expenses: 'M3 5.2h14v9.6H3ZM10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM5.5 7.7v.01M14.5 12.3v.01',
  mappings: 'M4 6h9.5M11 3.2 14 6l-3 2.8M16 14H6.5M9 11.2 6 14l3 2.8',
  logs: 'M7.5 5.2H17M7.5 10H17M7.5 14.8H17M3.6 5.2h.01M3.6 10h.01M3.6 14.8h.01',
  connections:
    'M8.2 11.8a3.2 3.2 0 0 0 4.6 0l2.8-2.8a3.25 3.25 0 0 0-4.6-4.6l-1 1M11.8 8.2a3.2 3.2 0 0 0-4.6 0L4.4 11A3.25 3.25 0 0 0 9 15.6l1-1',
  settings:
    'M3 6h7.5M14.5 6H17M3 14h2.5M9.5 14H17M12.5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.5 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  items: 'M10 2.8 16.5 6v7.8L10 17.2l-6.5-3.4V6ZM3.6 6.2 10 9.4l6.4-3.2M10 9.4v7.6',
  fields: 'M3 5h14v10H3ZM3 9h14M8.5 9v6',
  classes: 'M10 3.2 17 7l-7 3.8L3 7ZM3.4 10.4 10 14l6.6-3.6M3.4 13.4 10 17l6.6-3.6',
  place:
    'M10 17.2c3.6-3.7 5.4-6.4 5.4-8.6a5.4 5.4 0 0 0-10.8 0c0 2.2 1.8 4.9 5.4 8.6ZM10 10.6a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  refresh:
    'M16.2 8.3A6.5 6.5 0 0 0 4.6 6.6L3.4 8.2M3.2 4.4l.2 3.8 3.7-.3M3.8 11.7a6.5 6.5 0 0 0 11.6 1.7l1.2-1.6M16.8 15.6l-.2-3.8-3.7.3',
  edit: 'M4 16h2.6l8.9-8.9-2.6-2.6L4 13.4ZM11.4 6l2.6 2.6',
  trash: 'M4 5.8h12M8 5.8V3.8h4v2M5.6 5.8l.7 10.4h7.4l.7-10.4M8.6 8.8v4.6M11.4 8.8v4.6',
  search: 'M9 15a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM13.4 13.4 17 17',
  seen: 'M2.5 10c1.8-3.3 4.4-5 7.5-5s5.7 1.7 7.5 5c-1.8 3.3-4.4 5-7.5 5s-5.7-1.7-7.5-5ZM10 12.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8Z',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  close: 'm5 5 10 10M15 5 5 15',
  check: 'm4.2 10.6 3.7 3.7 8-8.6',
  cross: 'm5.6 5.6 8.8 8.8M14.4 5.6l-8.8 8.8',
  up: 'm5.5 12.2 4.5-4.5 4.5 4.5',
  down: 'm5.5 7.8 4.5 4.5 4.5-4.5',
  left: 'm12.2 5.5-4.5 4.5 4.5 4.5',
  right: 'm7.8 5.5 4.5 4.5-4.5 4.5',
  arrow: 'M3.8 10h12M11.6 5.6 16 10l-4.4 4.4',
  truck:
    'M2.5 5.5h9v8h-9zM11.5 8.5h3.2l2.8 2.8v2.2h-6M4.7 14.3a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 0 0-3.2 0M12.9 14.3a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 0 0-3.2 0',
  percent:
    'M15 5 5 15M4.6 6.4a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0M11.8 13.6a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0',
  external: 'M8 4H4v12h12v-4M11.5 3.5h5v5M16.2 3.8 9.4 10.6',
  sun: 'M10 13.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM10 2.4v1.4M10 16.2v1.4M2.4 10h1.4M16.2 10h1.4M4.6 4.6l1 1M14.4 14.4l1 1M4.6 15.4l1-1M14.4 5.6l1-1',
  moon: 'M16.4 11.8A6.8 6.8 0 0 1 8.2 3.6a6.8 6.8 0 1 0 8.2 8.2Z',
  system: 'M3 4.2h14v9.2H3ZM7.2 16.8h5.6M10 13.4v3.4',
  shield: 'M10 2.8 16 5v4.6c0 3.6-2.4 6.2-6 7.6-3.6-1.4-6-4-6-7.6V5ZM7.4 10l1.9 1.9 3.4-3.7',
  lock: 'M4.8 9h10.4v7.4H4.8ZM7 9V6.6a3 3 0 0 1 6 0V9M10 12v1.6',
  user: 'M10 9.8a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM3.8 16.8a6.3 6.3 0 0 1 12.4 0',
  clients:
    'M7.4 9.4a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2 16.2a5.5 5.5 0 0 1 10.8 0M13 4a2.8 2.8 0 0 1 0 5.2M14.8 11.8a5.4 5.4 0 0 1 3.2 4.4',
  devices: 'M4 4.5h12v8.2H4ZM2.4 15.8h15.2',
  more: 'M5 9.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4ZM10 9.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4ZM15 9.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4Z',
  mail: 'M3 5h14v10H3ZM3.4 5.6 10 10.8l6.6-5.2',
  warning: 'M10 3.2 18 16.8H2ZM10 8.2v4M10 14.4v.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 9.4v4M10 6.8v.01',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM7.9 8.1a2.1 2.1 0 1 1 3.2 1.9c-.7.4-1.1.8-1.1 1.6M10 13.7v.01',
  pause: 'M6.6 4v12M13.4 4v12',
  bell: 'M5.2 14V9a4.8 4.8 0 0 1 9.6 0v5l1.4 1.2H3.8ZM8.2 17.4h3.6',
  logout: 'M8 3.8H4.2v12.4H8M8.2 10h8.4M13.4 6.8 16.6 10l-3.2 3.2',
  keyboard: 'M2.5 5.5h15v9h-15ZM5.4 8.4h.01M8.5 8.4h.01M11.5 8.4h.01M14.6 8.4h.01M6.8 11.6h6.4',
  psa: 'M3.5 16.5v-9l6.5-4 6.5 4v9M7.5 16.5v-5h5v5',
  accounting: 'M4 4.5a1.5 1.5 0 0 1 1.5-1.5H16v11.5H5.5A1.5 1.5 0 0 0 4 16v0a1.5 1.5 0 0 0 1.5 1.2H16M8 6.8h4.6',
  columns: 'M3.5 4h13v12h-13ZM8 4v12M12.2 4v12',
  unplug:
    'm3.5 3.5 13 13M8.2 11.8a3.2 3.2 0 0 0 1.6.9M4.4 11A3.25 3.25 0 0 0 9 15.6l1-1M10 5.4l1-1a3.25 3.25 0 0 1 4.6 4.6l-1.2 1.2',
} as const;

export type IconName = keyof typeof shapes;

/**
 * A small line icon. It is decorative: its meaning must also be in a text or in the control's name.
 *
 * @param size in pixels, default 18.
 */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      <path d={shapes[name]} />
    </svg>
  );
}

/** The product logo: a bridge whose hangers are tally strokes. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false" style={{ flex: 'none' }}>
      <rect width="32" height="32" rx="8" fill="var(--tb-accent)" />
      <path
        d="M6 22v-5a10 10 0 0 1 20 0v5M11 22v-5M16 22v-9M21 22v-5"
        fill="none"
        stroke="var(--tb-accent-on)"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
    </svg>
  );
}
