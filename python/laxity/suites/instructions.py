# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Instructions that a program may execute and need no isolation: the list is closed. Pure.

Listed are those that compilers make of C and C++. They change registers, flags and memory, and the
control registers of floating point, which vetting compares. System calls, counters, random numbers,
segment and system registers are reached by inline assembly or built-ins: they are not listed.
"""

import re
from dataclasses import dataclass

_BLANKS = re.compile(r"\s+")


def _one_of(pattern: str) -> "re.Pattern[str]":
    """Compile alternatives that are written over several lines."""
    return re.compile(_BLANKS.sub("", pattern))


@dataclass(frozen=True, slots=True)
class _Set:
    """What is listed of one instruction set.

    Attributes:
        names: Mnemonics; a match of the whole name.
        prefix: What stands before a mnemonic and does not matter.
        lines: Whole instructions of other names, as a system register that compilers read.
        refused: Whole instructions that are not listed though their name is.
    """

    names: "re.Pattern[str]"
    prefix: "re.Pattern[str]" = re.compile(r"(?!)")
    lines: "re.Pattern[str]" = re.compile(r"(?!)")
    refused: "re.Pattern[str]" = re.compile(r"(?!)")


_X86 = _Set(
    names=_one_of(r"""
        mov|movabs|mov[sz]xd?|movbe|lea|adc|add|sub|sbb|inc|dec|neg|not|and|or|xor|i?mul|i?div|cmp
        |test|sh[lr]d?|sa[lr]|ro[lr]x?|rc[lr]|bt[src]?|bs[fr]|bswap|[lt]zcnt|popcnt|andn|bextr|blsi
        |blsr|blsmsk|bzhi|pdep|pext|mulx|s[ah][rl]x|ad[co]x|cbw|cwde?|cdqe?|cqo|xchg
        |cmpxchg(?:8b|16b)?|xadd|push|pop|call|ret|leave|nop[wl]?|endbr(?:32|64)|ud[012]|pause
        |(?:j|set|cmov)(?:n?[abglceospz]|n?[abgl]e|p[eo])|jmp|j[er]?cxz|loop(?:n?e)?
        |cmc|clc|stc|cld|[ls]ahf|[lsm]fence|prefetch(?:nta|t[012]|w)|clflush(?:opt)?|clwb|crc32|xlat
        |(?:mov|sto|lod|sca|cmp)s[bwdq]?
        |f(?:abs|addp?|bld|bstp|chs|n?clex|cmovn?(?:b|e|be|u)|u?com|u?com[ip]|u?comip|u?compp|cos
        |decstp|divr?p?|freep?|iadd|icomp?|idivr?|ild|imul|incstp|n?init|istt?p?|isubr?|ld|ld1|ldcw
        |ldenv|ldl2e|ldl2t|ldlg2|ldln2|ldpi|ldz|mulp?|nop|patan|prem1?|ptan|rndint|scale|sin|sincos
        |sqrt|stp?|n?stcw|n?stenv|n?stsw|subr?p?|tst|xam|xch|xtract|yl2x|yl2xp1|2xm1|wait)|emms
        |v?(?:ld|st)mxcsr|v?lddqu|v?maskmov(?:q|dqu)|v?mpsadbw|v?cvt[a-z0-9]+
        |v?(?:add|sub|mul|div|sqrt|min|max|rcp|rsqrt|andn?|x?or|cmp(?:n?(?:eq|lt|le)|n?g[te]|(?:un)?ord)?
        |u?comi|shuf|unpck[lh]|hadd|hsub|addsub|round|dp|blendv?|extract|insert)[ps][shd]
        |v?mov(?:[au]p[sd]|s[sd]|[hl]p[sd]|lhps|hlps|mskp[sd]|dq[au](?:8|16|32|64)?|[dq]|q2dq|dq2q
        |ddup|s[hl]dup|nt(?:p[sd]|dqa?|i|q))
        |v?(?:aes(?:enc|dec)(?:last)?|aesimc|aeskeygenassist)|sha(?:1|256)\w+|v?gf2p8\w+
        |v?p(?:abs|add|alignr|andn?|avg|blend|clmul|cmp(?:u?n?(?:eq|lt|le)|gt|[ei]str[im])?|extr|hadd
        |hminpos|hsub|insr|madd|max|min|mov|mul|or|sad|shuf|sign|sll|sra|srl|sub|test|unpck[lh]|xor
        |ack[su])[a-z0-9]*
        |v(?:broadcast|insert|extract|shuf|blendm|perm|gather|fn?m(?:add|sub)\w*?|rndscale|scalef
        |getexp|getmant|fixupimm|range|reduce|fpclass|align|test|maskmov|expand|compress|scatter)
        (?:[ps][shd]|[bwdq]{1,2}|[fi]\d+(?:x\d+)?|[fi]2?128)
        |vp(?:broadcast|conflict|erm|expand|compress|gather|scatter|lzcnt|maskmov|opcnt|ro[lr]|sh[lr]d
        |shufb|ternlog|testn?m|dp|movm)[a-z0-9]*|vzero(?:upper|all)
        |k(?:mov|andn?|or|ortest|not|xn?or|add|test|shift[lr]|unpck)[bwdq]{1,2}
    """),
    prefix=re.compile(
        r"(?:(?:lock|repn?z?|repn?e|notrack|bnd|data16|addr32|rex(?:\.[WRXB]+)?|[c-gs]s) +)+"
    ),
    # A segment register is state of the thread.
    refused=re.compile(r"(?:mov|pop) +[d-gs]s(?:,.*)?"),
)
_AARCH64 = _Set(
    names=_one_of(r"""
        ad[cd]s?|adrp?|addv|addp|ands?|asr|lsl|lsr|ror|b|b\.\w+|bf[cim]|bfxil|bics?|bi[ft]|bsl|bl|blr|br|bti
        |casp?a?l?[bh]?|ccm[np]|cinc|cinv|cl[sz]|cm[np]|cm(?:eq|ge|gt|hi|hs|le|lo|ls|lt|tst)|cneg|cnt
        |crc32c?[bhwx]|csel|csetm?|csinc|csinv|csneg|cbn?z|dmb|dup|eo[nr]|extr?|ins|hint|nop|yield
        |f(?:abs|abd|add|addp|cadd|ccmpe?|cmpe?|cm\w\w|cmla|csel|cvt\w*|div|madd|max\w*|min\w*|mla|mls|mov|msub
        |mul|mulx|neg|nmadd|nmsub|nmul|recp[esx]|rint\w|rsqrt[es]|sqrt|sub)
        |ld(?:1|2|3|4|[1-4]r|a?x?p|a?x?r[bh]?|ar[bh]?|u?rs?[bhw]?|trs?[bhw]?|np|psw)|st(?:[1-4]|l?x?p|l?x?r[bh]?|ur[bh]?|np)
        |ld(?:add|clr|eor|set|[su]max|[su]min)a?l?[bh]?|swpa?l?[bh]?|madd|mneg|mov[ikns]?|msub|mul|mla|mls|mvni?
        |negs?|ngcs?|not|or[nr]|pac\w+|aut\w+|xpaclri|prfu?m|rbit|ret|retaa|retab|rev(?:16|32|64)?
        |sbcs?|[su](?:bfm|bfx|bfiz|div|madd[l]?|maddl|msubl|mnegl|mull2?|mulh|mull|abal?2?|abdl?2?|addl?v?2?|addlp|addw2?|adalp
        |cvtf|dot|hadd|hsub|max[pv]?|min[pv]?|mlal2?|mlsl2?|mov|q\w+|r?hadd|r?shl|r?shr|r?sra|shll2?|shl|subl2?|subw2?|xt[bhwl]2?|xtl2?)
        |q?shrn2?|rshrn2?|shll?2?|sli|sri|sqr?\w+|subs?|tb[lxnz]|tbnz|tst|udf|brk|uzp[12]|trn[12]|zip[12]|xtn2?
        |r?addhn2?|r?subhn2?|pmull?2?|aes\w+|sha(?:1|256|512)\w+
    """),
    lines=re.compile(r"mrs\s+x\d+, (?:tpidr_el0|fp[cs]r)|msr\s+fp[cs]r, x\d+"),
)
_ARM = _Set(
    names=_one_of(r"""
        (?:ad[cdr]w?|and|asr|bic|eor|ls[lr]|ml[as]|mov[wt]?|mul|mvn|or[nr]|ror|rrx|rs[bc]|sbc|subw?|neg
        |cm[np]|teq|tst|bf[ci]|clz|rbit|rev(?:16|sh)?|sel|nop|udf|[su]bfx|[su]div|[su]xta?(?:b|h|b16)
        |[su]m(?:ull|lal)|smul[btw]{2}|smla[btw]{2}|smlal[bt]{2}|smlaw[bt]|sm[mlu][al][ldsr]{0,2}x?|umaal|usada?8|[su]sat(?:16)?
        |(?:[su][hq]?|q)(?:add|sub|asx|sax)(?:8|16)?|qd(?:add|sub)|pkh(?:bt|tb)|b|bl|bx|blx|tb[bh]
        |pop|push|ldm(?:ia|ib|da|db|fd)?|stm(?:ia|ib|da|db|fd|ea)?|(?:ld|st)r(?:b|h|d|ex[bhd]?)?|ldrs[bh]|clrex
        |pldw?|v(?:ld|st)(?:m|mia|mdb|r|[1-4])|vpush|vpop|v(?:abs|abdl?|abal?|add[lw]?|addhn|and|bic|bif|bit|bsl
        |c(?:eq|ge|gt|le|lt|ls|lz|mp|mpe|nt)|cvt[abmnprt]?|div|dup|eor|ext|fm[as]|fnm[as]|hadd|hsub|max|min|maxnm|minnm
        |ml[as]l?|mov[ln]?|mull?|mvn|neg|nml[as]|nmul|or[nr]|pad[ad]l?|padd|pmax|pmin|q\w+|r\w+|shl|shll|shrn?|sra|sqrt
        |sel|sli|sri|sub[lw]?|subhn|swp|tb[lx]|trn|tst|uzp|zip))s?
        (?:eq|ne|[ch]s|cc|lo|mi|pl|v[sc]|hi|ls|ge|lt|gt|le|al)?(?:\.\w+)*
        |cbn?z(?:\.n)?|it[te]{0,3}(?:\.n)?|dmb|yield|\.word|\.short|\.byte
    """),
    # Of the thread: its variables; of floating point: control and flags.
    lines=re.compile(r"mrc\w*\s+15, 0, \w+, cr13, cr0, \{3\}|vm(?:rs|sr)\w*\s.*\bfpscr\b.*"),
)
_POWERPC = _Set(
    names=_one_of(r"""
        (?:add(?:i|is|c|ic|e|ze|me)?o?|andi?s?c?|b(?:c|cl|l|la)?|bc?(?:ctr|lr)l?|cmp(?:l?[wd]?i?|b)|cntlz[wd]|cntlzw|cnttz[wd]|cr\w+
        |b(?:eq|ne|lt|gt|le|ge|so|ns|un|nu|dn?z)(?:lr|ctr)?l?|dcb(?:t|tst|z|st|f)|div[wd]e?u?o?|eqv|exts[bhw]
        |f(?:abs|add|cfids?|cmp[ou]|ctiwz?|ctidz?|div|madd|msub|mul|mr|nabs|neg|nmadd|nmsub|re|rsp|rsqrte|sel|sqrt|sub)s?
        |hwsync|lwsync|isync|sync|eieio|isel|l(?:i|is|a|b|h|w|d|f[sd])(?:z|a|br)?u?x?|lfiw[az]x|lwarx|ldarx|lmw|stmw|stwcx|stdcx
        |mcrf|mf(?:cr|ctr|lr|ocrf|fs)|mffs\w*|mt(?:cr|crf|ctr|lr|ocrf|fsf|fsfi|fsb[01])|mr|mul(?:li|hwu?|lw|hdu?|ld)o?|nand|neg|nor|not
        |nop|orc?|oris?|ori|rot[lr][wd]i?|rl[dw]\w+|clr[lr][wd]i|s[lr]a?[wd]i?|st[bhwdf][sd]?(?:br)?u?x?|stfiwx
        |sub(?:f|fc|fe|fic|fze|fme|i|ic|is|c)?o?|t[dw]\w*|trap|xori?s?|popcnt[bwd]
        |lv\w+|stv\w+|v[a-z]\w+|lxv\w*|stxv\w*|xs\w+|xv\w+|xx\w+)\.?[+-]?|\.long
    """),
)
_RISCV64 = _Set(
    names=_one_of(r"""
        addi?w?|andi?|auipc|b(?:eq|ne|lt|ge|gt|le)u?z?|divu?w?|remu?w?|mul(?:w|h|hu|hsu)?|ebreak|unimp|fence
        |f(?:add|sub|mul|div|sqrt|n?madd|n?msub|min|max|sgnjn?x?|cvt|mv|eq|lt|le|gt|ge|class|abs|neg)\.[\w.]+|f[ls][wd]
        |fr(?:flags|csr|rm)|fs(?:flags|csr|rm)|j|jr|jal|jalr|call|tail|ret|l[bhw]u?|ld|li|la|lui|s[bhwd]|mv|nop|not
        |lr\.[\w.]+|sc\.[\w.]+|amo\w+\.[\w.]+|negw?|ori?|xori?|[sz]ext\.[bhw]|seqz|snez|sltz|sgtz|slti?u?|s[lr]li?w?|srai?w?|subw?
    """),
)
# Names of formats as objdump writes them.
_SETS = {
    "elf64-x86-64": _X86,
    "elf32-i386": _X86,
    "elf64-littleaarch64": _AARCH64,
    "elf32-littlearm": _ARM,
    "elf32-powerpc": _POWERPC,
    "elf64-littleriscv": _RISCV64,
}
_FORMAT = re.compile(r"file format (\S+)")
# "   4:\tmov    eax,0x1        # comment"
_INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t([^#\n<]*)", re.M)


def unlisted_instructions(listing: str) -> tuple[str, ...]:
    """Name the instructions of an object that are not on the list, in their order.

    Args:
        listing: What `objdump -d --no-show-raw-insn` prints, of x86 with `-M intel`.
    """
    match = _FORMAT.search(listing)
    listed = _SETS.get(match[1]) if match else None
    if listed is None:
        return (f"instructions of {match[1] if match else 'an unknown format'}",)
    texts = dict.fromkeys(_INSTRUCTION.findall(listing))
    found = dict.fromkeys(name for text in texts if (name := _unlisted(text.strip(), listed)))
    return tuple(found)


def _unlisted(text: str, listed: _Set) -> str:
    """Return the name of an instruction if it is not listed; "": it is."""
    prefix = listed.prefix.match(text)
    plain = text[prefix.end() :] if prefix else text
    name = plain.split(maxsplit=1)[0] if plain else ""
    is_refused = listed.refused.fullmatch(plain) is not None
    if not name or (listed.names.fullmatch(name) and not is_refused):
        return ""
    return "" if listed.lines.fullmatch(plain) else name
