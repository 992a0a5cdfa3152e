import { createTheme, type MantineColorsTuple, type VariantColorsResolver } from '@mantine/core';
import { createElement } from 'react';
import { Icon } from './icons.tsx';

declare module '@mantine/core' {
  /** The palette is closed: any other color is a type error, so each color keeps one meaning. The last four are for text. */
  interface MantineThemeColorsOverride {
    colors: Record<
      'gray' | 'dark' | 'accent' | 'red' | 'test' | 'held' | 'info' | 'ok' | 'soft' | 'dimmed' | 'bright',
      MantineColorsTuple
    >;
  }
}

/** Ten times the same value: colors have roles instead of shades (see theme.css). */
const role = (name: string): MantineColorsTuple => {
  const value = `var(--mantine-color-${name}-filled)`;
  return [value, value, value, value, value, value, value, value, value, value];
};

/** Each variant takes its colors from tokens.css, which work in both schemes. */
const variantColors: VariantColorsResolver = ({ color = 'accent', variant }) => {
  const of = (part: string) => `var(--tb-${color === 'red' ? 'bad' : color}${part})`;
  const border = '1px solid transparent';
  if (variant === 'filled') return { background: of(''), hover: of('-hover'), color: of('-on'), border };
  if (variant === 'light') return { background: of('-quiet'), hover: of('-quiet-hover'), color: of('-text'), border };
  if (variant === 'default')
    return {
      background: 'var(--tb-surface)',
      hover: 'var(--tb-hover)',
      color: 'var(--tb-text)',
      border: '1px solid var(--tb-border-strong)',
    };
  return {
    background: 'transparent',
    hover: of('-quiet-hover'),
    color: of('-text'),
    border: variant === 'outline' ? `1px solid ${of('-text')}` : border,
  };
};

/** Icon buttons have the height of a control, in rows a little less; both grow for touch. */
const iconSize = (_theme: unknown, { size }: { readonly size?: unknown }) => ({
  root: { '--ai-size': size === 'sm' ? 'calc(var(--tb-control) - 6px)' : 'var(--tb-control)' },
});

const quick = { duration: 120, timingFunction: 'ease-out' };
/** A closing dialog ignores a second click on its last button. */
const whileOpen = (_theme: unknown, { opened }: { readonly opened?: boolean }) =>
  opened === false ? { content: { pointerEvents: 'none' as const } } : {};
/** The second click of a double click on the button that opened a dialog does not close the dialog again. */
const overlayProps = {
  onClickCapture: (event: { readonly detail: number; stopPropagation: () => void }) => {
    if (event.detail > 1) event.stopPropagation();
  },
};
/** The chevron of a list of options. */
const rightSection = createElement(Icon, { name: 'down', size: 14 });
const field = { inputWrapperOrder: ['label', 'input', 'description', 'error'] } as const;

/**
 * The theme of the component library: the behavior of components is here, their look is in tokens.css and theme.css.
 * Components are named by text, so that they are not loaded here. A style rule prevents scrolling behind a dialog,
 * because the library would inject a style element, which the content security policy forbids.
 */
export const theme = createTheme({
  colors: {
    gray: role('gray'),
    dark: role('dark'),
    accent: role('accent'),
    red: role('red'),
    test: role('test'),
    held: role('held'),
    info: role('info'),
    ok: role('ok'),
    soft: role('soft'),
  },
  primaryColor: 'accent',
  respectReducedMotion: true,
  cursorType: 'pointer',
  variantColorResolver: variantColors,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' }, vars: iconSize },
    Badge: { defaultProps: { radius: 5, tt: 'none', lts: 0, fw: 500, fz: 12, px: 7, miw: 'max-content' } },
    Button: { defaultProps: { size: 'sm' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Drawer: {
      styles: whileOpen,
      defaultProps: {
        lockScroll: false,
        transitionProps: quick,
        overlayProps,
        attributes: { header: { role: 'presentation' } },
      },
    },
    InputBase: { defaultProps: { size: 'sm', ...field } },
    Loader: { defaultProps: { type: 'oval', size: 16 } },
    Menu: { defaultProps: { transitionProps: quick, shadow: 'md', position: 'bottom-end', offset: 6 } },
    Modal: {
      styles: whileOpen,
      defaultProps: {
        lockScroll: false,
        transitionProps: { ...quick, transition: 'fade-down' },
        yOffset: '8vh',
        overlayProps,
        closeButtonProps: { 'aria-label': 'Close dialog' },
        attributes: { header: { role: 'presentation' } },
      },
    },
    NativeSelect: { defaultProps: { rightSection } },
    Notification: { defaultProps: { withBorder: true, closeButtonProps: { 'aria-label': 'Dismiss' } } },
    PasswordInput: {
      defaultProps: {
        size: 'sm',
        visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password' },
        ...field,
      },
    },
    Popover: { defaultProps: { transitionProps: quick } },
    Radio: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'sm', transitionDuration: 120 } },
    Select: { defaultProps: { size: 'sm', ...field, allowDeselect: false, rightSection } },
    Tabs: {
      styles: {
        list: { flexWrap: 'nowrap', overflowX: 'auto', paddingInline: 'var(--tb-3)', scrollbarWidth: 'none' },
        tab: { flex: 'none', height: 44, paddingInline: 'var(--tb-2)', fontSize: 14, fontWeight: 500 },
      },
    },
    TextInput: { defaultProps: { size: 'sm', ...field } },
  },
});
