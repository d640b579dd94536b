"""Real video files with `PROMPT` and `WORKFLOW` in them: one frame of 16 x 16 pixels each, written
by FFmpeg 8.1.2 through PyAV 18.1.0 as ComfyUI and its best-known video nodes write theirs.

They are zlib-compressed and in base 85.
"""

from __future__ import annotations

import base64
import zlib

PROMPT = (
    '{"3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709552000, "text": '
    '"\\u732b = \\u00e9; #1\\\\ \\n"}, "is_changed": [NaN]}}'
)
"""With an integer beyond 64 bits, NaN, and all that FFmpeg's metadata files escape."""

WORKFLOW = (
    '{"nodes": [{"id": 3, "type": "KSampler", "widgets_values": [1.0, -0.0, 1e-05]}], '
    '"links": [], "version": 0.4}'
)


def _file(packed: str) -> bytes:
    return zlib.decompress(base64.b85decode(packed))


COMFYUI_MP4 = _file(
    "c-oCqOK;Oa5MHO@ao`ak2ZVxTOu0mDSUXA6f`Z@{2^547T$-"
    "wNy_?30*N(g!hY|%v2qZWlE*$w02*g9;!l7Kaa^n|p<0q8ab(%P7i&)t^GrQl+e7iG?5Xv>hcE{xbLnwu$gx_MFl8I"
    "3IH4B0WA>^^BMbOlk`wdebX-IyPp-rP^?VISIBL&~82<<lL4bfIP=MIRL-{<*1c{8IQp?OLK2brTD7YUF2#8>;th--"
    "tQGctR2tf)TNQO076c;Vho<Pw@hJ_I|c**@{8#Ar{L>o-BkMoa}w(wrypUXFycnILtd8+v-"
    "IYd5&q^g#c`1t$s24=7l4$W_QgXHX4f?NG$*IKR6K^9JRFt6~p_!@J;?26;<AqaY`Tay|kpS0Um%$?oIJb8&D@M?0@"
    "xpzr8eD(isx{*E0vOIE>JE|}Ol3O-s&-omB`N7o-"
    "mlbN|trP<@Dsjh%qffGB^>*GHQdyhwZXD4e;Fu|w4g80@Y0!pfVVN^;rE+xyy$asA`s%^TxM@aT!MuK`l*lv135A0L"
    "Y?t}sB$fKN=7WJKg$bxHiH*T=!BUS@qs|>0FeZvPBH?HZceZwUniwn8|uaSak+`ezK4z!H{Ydx22QNh<E+v~;-"
    "W&tngi&)MkUBu<J!5ZK^*KezBX+$*SZs3E73#9?%dmFzn^k$kw5fFXD@odi54@&O(ovz>t#3_|D&E-"
    ";QsZuK8O0j}h%4G{<ESb|sLOM6Pm7=w&SM^30W4dx(zic)ddc!vcG8$iZTDHHX0<G5V`r1HpyE3}ni%D+KHBIOm(~?"
    "~S_VH#&<@37000o#2D02+Nr_9E^r`6AY{sNK0$58"
)
"""ComfyUI's SaveVideo: ``movflags use_metadata_tags+faststart``."""

VHS_MP4 = _file(
    "c-oCqOK;Oa5FV%Hao`ak2ZVxTOu1BTSUXA6f`Z@{2^547T$-"
    "wNy_?30*N(g!hY|%v2qZWlE*$w02*l&ap<K9f;}>w_CzM$`NuAOnM)uCk?l-"
    "gF?#u!}zA3jmt_V0l29(C%;+>KS0LPmlW2i51YD)m^17we(`jp+c_q6)?H^A&`9t060JRY?uOv%hI9Ogj-"
    "_3eo^joR<ugnvo~zf~F9ZL}M*9q&1FK(_h6BL8RK?C1xWV^j*%dFBb3ikRPv)qZg5+GyyU?ms(;sXo|=oy8XQ!tqMv"
    "QkF(OL_et6KJ}QwXivE7H_^yNJWiUXIY*PVJPlbhMe0O1^z_8mZV0*Qq5V@xK~tFTSkmZ_t5Ao|LJf88P{e*Yzq^a$"
    "1`|}o#U2iacQI@h^)3BO3^_Se;}M*>iW%Q2b{}7!OOk6k?7Vsb-{4s$=b-"
    "!kjvYBmR>4{>n8Z4YF<M65!ln#I*PmolI|~_?X3SHIy8>?oPwY(3PyQUPJsz!{-"
    "J5fQ6n+8K*DjS<Qtb<8O2=|3T|Q1H^AoAI+4h)_>cy-"
    "A^@6b7^nxDxr<C6b1Kv?bIjubAI{{S%*XnN4V9!S^2KdtKaRvH@k1%0e(^vb3OHmgWbOYZjL({l@-"
    "{u``8w2NhF5O~MtVg!jO#;jUS<n}W8cnuH%4>r)#CfjYj+d1au~4{yk1i>c2Dsnb<b}bTX%a<5^bN<eg;+mmbJy>5r"
    "HDa-F-6l{E|r!lr4p$WD`cfywg@4LIeR2kaHCr(TAO-"
    "RZ*&P^E7$eQW}~4ud}E-piFK!C`&)6M)w*3@8z^p9Mz?!0%?-PziCtq_s%!oL29d_T"
)
"""Video Helper Suite: ``movflags use_metadata_tags``, the moov box at the end."""

VHS_2023_MP4 = _file(
    "c-"
    "oCq&2G~`5MHO{=KxZG91seUG3639VeL3gTT}$MNT4Ew;8Itq<6S3Kytd`txIh#XAr5fh#*r834S|3cC>O5Wcmi%bLY"
    "cJ_;slBq?e5I%d^0<<vx^WayW&aY@sJ@@K$62WSY+x5q0??mDey~-"
    "*a9Kt11g>Z_Nlmc|M}MEp9n4YSr{gO@LAF$XpWYCz*0d9l4C~7JZe$Dh5kte7&{`i`ygAQpPsq&muQtgJpbq1;$$MU"
    "LW$tO%hcy0=TVvYD&H9KY!FmN7Hh|8st*rSrP?EYJhdbqp?TyZ(8HD;5T8nn@{D<b3qmPjY0!L{D<rd(Nle{bQfCIS"
    "uV%7xlZ%cI@^>yc$zi@iOOs=+LKa;_E#R$V5sP&3=m^$5$_Y=KJsywmf!i|h+v>R#a&|1&6R>j~BEFN^eSCEx3$Cc>"
    "@bydd1-&Sg98lliwG(H}s2S@u9UCXXM=8i#=!kf7{aG}5G8buUrg<vqtAJa9ik<oW-?Id^rxV-"
    "x*`5>T@T<Vy4v2u3DsLE-Jf$o7_Cd>IJBs}LL+X0j8@YBMLK*Nfd=`6piBOjdb?Jtz3-&e-"
    "945b#kp~U6C=OX9v`tkTT3X!#0l4GaoVVe7Qn_JicOKX*f_GwRtDt#7G!T3O<&+XB>g%St)-+ArtT*vSqhVl-"
    "C0NkMA`4<!gJ#|6s9P#X7}Jd#>Q&tW0zI&_Q5u@Jot_<ZvzR;E_V(^*1cz$-"
    "Vcd89a9<v(1tFna+J~A)fY$*ala*CWQ%#*b(xrm86WbqT4tfoes$#k7w2B+Mqg}xHUeHg?Qb}mcy)Xb3*UZuA7kw4T"
    "_5"
)
"""Video Helper Suite of 2023: one JSON object in the comment."""

VHS_2023_MOV = _file(
    "c-"
    "rk#&2G~`5MHMgkZ7d<ITVzGWpav|uyLHG1yuqGRgr)KLgj*^)b(x}EB?c~ae&AoLLA`0m3Qb3fhaE!corlMJVKeZ^W"
    "(ID`T&f*J3l+~?YFZwLMYefFZ^d*mJ!OJM5FV4i%`&49b#~Vq|YdO4%A_G_tERkufGslB#!5WkYPJvhoCuG_yJQ9Nl"
    "3gik><0G`?t_PB?B+xfzbt9=iPYEg+HJbPgI^}-"
    "|ToGRG@@2(0OVzo~kI$YNekJu?#R|ha5jUj;X#nik(u2*nu#djva(aN2jv%1Oi^eaEVPJN&4VeZX4pc(1}6QG*>4;1"
    "b}*hEvJDl+%dQ@#X$v<;N(d_+o=OAjqAj<6dB*M!T!!TBdMH2$JfGio3^&@Ka6`XMi!n1n2o<Q_N1&FiAL;FMp*n|4"
    "2Q!9P<96NZTVuHvOE;?B1EnO;zz;m%e%`7xFn;|`?u&DdXveS;C{Migyx!BR@ciFte%A$Nl;s1Jif9CCn;f!@^CtHK"
    "0X~eSbI5MyEKcLUMjx;I8l#qan)B2SU*6^J0qab1_~8bP=LJh0ijG%c18om4?M@`$_-f==t@-"
    "w1GH%yjJ4noqavUycOM&$4>zSNtKeC#-"
    "{WkY$|xnmtgLI=T3yp{y;{c`wVH}C7Rj7G=Lv|e_v%%3Pu`Tl!kBK{l&@8E5b#}HiDGEhGCPL5pI|=SHny8l1e+>-"
    "FX*;yuP-)LTo34r^?_m$&{aqfWW^~aRO2Fx>{HHKp<(xuf=U@km9UsAw1jKTs0n$t<#yv`;e<3`mgj<t%UTr0-"
    "7+2izgws2)^Bxr9p3"
)
"""The same as QuickTime."""

COMFYUI_WEBM = _file(
    "c-oV4y}x+AQ(GgW({~{L)X3uWxsk)EsiizMDc7mJk;$pGkx3%BA)S!{1eneW`pz!d<-"
    "5B(cy)`Y=gPF;HH`})Jh6~<*+AY6-`zbxo>0i)^x!p3jM5OUOz>`?WE0c&HxP3eA{l4}K(5-"
    "Pb$w$qzmtP+L$6O_S(=%Vo*@t!7==5c@?APR99$vVK+fN{4(dA7>y3=XM>|$O3RLI0_GagtMh2y=bDB%@QaTzL+FHZ"
    "n!vZXu8yS@!H@7fVpU8U9wxLmASEB&P&yG38#g4|w2O82({B~X35$+%4?dIbj?$Z9YS}89-"
    "CAC<|N+G&hDKiB~8|x@2l~fj_0+~wQ!HKyAIjKcTK(X@7l=Re+;`p+}oKlDeLp=i>1ziIWX_%^OU>aK+3sjernU@Wg"
    "264(#i;6Sz^MG6fJ(Jq>6Alwy7q<lj`TGWhxU@U8R4W++rK**Za}tY-"
    "<FVPAnO9I+QVdp9oSF)9pP_|`iJ7^HiGjJXxq+prsgZ$!0m#Xz6(u0eF{S3lMo9{`3NfVy2C0_T3d)8tF$ytxO0^)<"
    "isO?r67$l*21WZN`o-"
    "1)9W~2!al5OZv%iaLkV`viR1_C)N<Pq?j0p7f6AOU>=n@*_7~<*g=h8mez`zQO^bAZuE&&1tdFO4VOP@C~EMCyaz|h"
    "d-+3du?@PXkQgN2HWgck#YK>`DV!2bV#J$e{G32@@>{>_aH+q-}X{bLhT?}tWa02Nv4ss"
)
"""ComfyUI's SaveWEBM."""

LIVE_WEBM = _file(
    "c-"
    "oV4y}x+AQ(GgW({~{L)X3uWxsk)EsiizMDc7mJk;$pGkx3%BA)WC*1PJ=hE?MonyE}Mwi>T+ywBR+33n4tQkagKW-d"
    "W$>JwTpN$l>(hHBF2HZx|WCAcKKU0OYFWTGux=^E)~CHuU-=mZg~)=@|l%fl;_4Dj($Lee0kuG`-"
    "%)SbVf&$LX$j)%JX;a~c_xw$5oT%}eQMWN2#*iw_I1Y;I&!e%#!`RDB}rLEDB#fnALPAdfnl7Z*DkCm(1?Kk?gjaYw"
    "j+khhzUf4EEg+iIn}{FKyUB`byKYNgB+AZ@Ippj1*>kP2ifc?T!v7UZNBDFMaGGgH!2ON!&m5_3u+8VvOebQE+AK%`"
    "-+u7PQ6Z7fh-PG(*<SQ^ABOD!tS%+CXI4fITE(@!`|bY0vQ5ajP05aQDA&{C~r43w%?O3q0vE{?}$Yi3?SX-"
    "P3yQE_T2$bE(uCMIU)CME{v#^wf=rlv*)1_mG}r&g4JG{=;h8yh7l*eb-"
    "78W^NnS}Q0U#>6PZ<SEsHOe>C0&PdEl2OAXam*^K;3v|>h*TwCwe$M_bu0byCsNpZ~ysdQU^G1fn3mO?18k#(tofsH"
    "CFnnXMP?3@FVqh>xU|<l~|NpN?4+8)!bI6G"
)
"""The same written without seeking (``live 1``): segment and clusters of unknown length."""

VHS_2023_WEBM = _file(
    "c-oV4y}x+AQ(GgW({~{L)X3uWxsk)EsiizMDc7mJk;$pGkx3%BA)S!{1eo3l`pz!d<-"
    "5B(cy)`Y=gPF;HH`})Jh6~<*+AY6-`zbxo>0i)^x!p3jM5OUOz>`?WE0bkHxP3eA{l4}K(5-"
    "Pb$w$qzmtP+L$6O_S(=%Vo*@t!7==5c@?APR99$vVK+fN{4(dA7>y3=XM?1nx-WKwtrJ2uZWKh~Vr@1sQrK6Fdtu-"
    "t@EWon4kx}_^a|=`TiL3{08yW?6H41?I?ATje>==@KpdtN)qk-"
    "$<c4vQIUst~nmv%>`YNdjr{M>>PB`XD`>KG;C7$5^kC+8#<7sr=W7Nmj%VwAjt6LSl4Qj21gbb!3fyn@n_VyM#M)YK"
    "FZ)6l}i#LV2p#K7Fx+`!V*)X2cV0HnAiwW0)KNK8zrxv^1_f~^9OWnhqMX|14a7y|@AeqM}HE!gPd_~eYlymW|}(SC"
    "`3v9+~8OO?v=i?Y*l^2<S%D&^&;q!xqZtCccSfV44C0m!i+U%;FS)|8o&o?22IUzV6t3ejMw2XvIK0f;nA)ip4Ut&I"
    "h$%gM~k21|oDWvNBQnfZA@u7RFOZEgCAS->E3^>g-"
    "jaSd{5M~$oE;!Vj1x|0#Hl73>L>*5ZV&>+VUPk%p`_Q?hYR$!!OU;+veAYhPp-"
    "d4Kwc_YK(1&s_04NacSP7Dkm7``!BsK`ioF)$b;Ffa)0|NqychXIsAC+_aw+{m!K3z!o=HZiUH(8vq`V%+e!"
)
"""Video Helper Suite of 2023: one JSON object in the comment."""

MKV = _file(
    "c-"
    "oV4y}x*|Q(GgW({~{L)X3uWxsk)EsUtVBq$s~QJJG2fDAd}>BoW+@&d2})%r1hyvr7)_Z|QEZtn}U89lW|l)N^H8@S"
    "4Vj5T01bx@;itqwnq>AWtadaC-"
    "2XCdMuZS0;EjP_l_x;|;_#hF}Kj1CV=8?{C?z_dQbU`o?B{CkNk#UZ2FWG&3VTLm)CR3U@^17cZH>)2M4W^X2iQbzh"
    "wv*JaL#cj@eKaD|u$@{z;j{Vm}cOaHEey1V6iBV+N=j%72>n6{+4YRqY5P}(}Dxil}OqmiMlKP=uiz}4ME-!s@>-"
    "!V9#xsg%%adQh(^@*$pT^kw&b~OrwY-(f)eb>kU3kN0!hU7)-"
    "85kHh00kJgb_xSYpfIBX!;#(&hNBEEOd`oZ?k1qKlY!1QvH&?76u6E>`&*u-"
    "D;zE^b~H{t(2#!Ox9j4LaQ`50Hy{6Sm-e^SN_qJysl`fG3enX{nJGZpSVuvrq_Q9t$W-zUPRuRHNi9+Wij`-"
    "kq^Fh?$CoAMltMHZ>KW)L=o)}X!&F@Z)7aWrpt_vQylk*Eh*OqYRGgWg2jm*)nbfAAaG2=2xGf;a-"
    "!~w{rQM;WTFDqFRjrhqlUQ6FkImN1yn@n_Vz8p()KrlB3@uDd%*;(p49tzq4J=JfjSLJ7Ku%7rC;@4XDK$4XN>Z>@h"
    "$%HNNVT+9P&SN-QHaS?ss))=9G{$#n3oPVDB3U4FSZuws9COy+g<&f{asvxT-woMzIapef$n5POs1b$2n;}%&>+VUP"
    "k%p`_Q?hYR$!!OU;=Up5HQF)Z!2B6zvbU8$KdCU42!2VGB7j%BWE*%06UP{CXf)=WV`)6D6LQ5-"
    "y&fU`C@nf=0=9?UBEo{v5A@KLn9{uv(XkY"
)
"""Matroska, with the names that SaveVideo gives."""
