/** Paths on a grid of 16, drawn as lines. */
const PATHS = {
  first: "M4 3v10M13 3 7 8l6 5z",
  back: "M11 3 5 8l6 5z",
  on: "M5 3l6 5-6 5z",
  last: "M12 3v10M3 3l6 5-6 5z",
  fork: "M5 4.500v7M11 4.500v.8c0 2-6 2.500-6 5M5 4.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM11 4.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM5 14.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  compare: "M2.500 3h4v10h-4zM9.500 3h4v10h-4z",
  live: "M8 9.200a1.200 1.200 0 1 0 0-2.400 1.200 1.200 0 0 0 0 2.400zM5.200 10.800a4 4 0 0 1 0-5.600M10.800 5.200a4 4 0 0 1 0 5.600M3.200 12.800a6.800 6.800 0 0 1 0-9.600M12.800 3.200a6.800 6.800 0 0 1 0 9.600",
  help: "M6 6a2 2 0 1 1 3 1.800c-.7.4-1 .8-1 1.600M8 11.800v.1M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13z",
  system: "M2 3h12v8H2zM6 14h4",
  light:
    "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M3.400 12.600l.7-.7M11.900 4.100l.7-.7",
  dark: "M13.500 9.500A5.700 5.700 0 0 1 6.500 2.500a5.800 5.800 0 1 0 7 7z",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.500 10.500l3.500 3.500",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M4 6l4 4 4-4",
  empty: "M2.500 9.500 4.500 3h7l2 6.500v3.500h-11zM2.500 9.500h3.500l1 1.500h2l1-1.500h3.500",
  check: "M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM5 8.200l2 2 4-4.400",
  warn: "M8 2 14.500 13.500h-13zM8 6.500v3.500M8 11.900v.1",
  error: "M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM8 4.800v4M8 11.100v.1",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  file: "M4 1.500h5l3 3v10H4zM9 1.500v3h3",
} as const;

/** The name of a picture. */
export type IconName = keyof typeof PATHS;

/** A picture beside words; alone it says nothing to a screen reader. */
export function Icon({ name }: { readonly name: IconName }): preact.JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the house; lemon.svg is the same as a file. */
export function Lemon(): preact.JSX.Element {
  return (
    <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        class="lemon"
        transform="rotate(-38 12 12)"
        d="M1.5 12c1.500-.4 2.100-1.200 2.900-2.300C6 7.300 8.700 5.500 12 5.500s6 1.800 7.600 4.200c.8 1.100 1.400 1.900 2.900 2.300-1.500.4-2.100 1.200-2.900 2.300-1.600 2.400-4.300 4.200-7.600 4.200s-6-1.800-7.600-4.200C3.600 13.200 3 12.400 1.500 12Z"
      />
    </svg>
  );
}
